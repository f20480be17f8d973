import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ourCommands } from './commands.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"workspaces":["apps/*","packages/*"]}',
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
  'pnpm-workspace.yaml': 'packages: ["apps/*", "packages/*"]\n',
  'packages/ui/package.json': '{"name":"ui","scripts":{"build":"tsc"}}',
  'apps/web/package.json':
    '{"name":"web","scripts":{"prestart":"tsc","start":"node dist/a.js"},"dependencies":{"express":"5","ui":"*"}}',
};

describe('the commands of a repository of the corpus', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-commands-'));
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are those of the monorepo around the app, whose lockfile is followed', async () => {
    const { install, build, start, startScript } = await ourCommands(folder, 'apps/web');
    assert.match(install ?? '', /^pnpm install --frozen-lockfile/);
    assert.match(build ?? '', /packages\/ui && pnpm run build/);
    assert.deepEqual([start, startScript], ['node dist/a.js', 'tsc && node dist/a.js']);
  });
});
