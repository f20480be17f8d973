import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';
import { selectFiles } from '../../infra/dev/test-selection.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

test('every test file whose provider is on the database server stands in test/README.md, with why, and no other does', () => {
  const [, after = ''] = read('test/README.md').split('### Who needs the database server\n');
  const [section = ''] = after.split('\n## ');
  const listed = [...section.matchAll(/`(\w+\/[\w/-]+)`/g)].map(([, path]) => `test/${path}.test.ts`);
  const users = selectFiles({ filters: [], smoke: false, endToEnd: true })
    .filter((file) => file !== 'test/infra/database-server-users.test.ts')
    .filter((file) => /\bdatabase: 'server'/.test(read(file)));
  assert.ok(users.length > 10);
  assert.deepEqual(listed.toSorted(), users);
});
