import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backupsSection } from '../../../adapters/env/backups.ts';
import { readSection } from '../../../adapters/env.ts';
import { composeArchives } from '../../../api/services/backups-deps.ts';
import { FairleadError } from '../../../domain/errors.ts';

const KEYS = { OBJECT_STORE_LINK_ACCESS_KEY: 'links', OBJECT_STORE_LINK_SECRET_KEY: 'hunter2' };
const env = readSection(backupsSection, { OBJECT_STORE_HOST: 'http://127.0.0.1:9', ...KEYS });
const LINK = { ttlSeconds: 60, fileName: 'shop.pgdump' };

test('a link is made once the embedded object store serves', async () => {
  const asked: string[] = [];
  const archives = composeArchives(env, async (part) => void asked.push(part)) ?? assert.fail();
  assert.match(await archives.downloadUrl('prod/shop.pgdump', LINK), /^http:\/\/127\.0\.0\.1:9\//);
  assert.deepEqual(asked, ['object-store']);
});

test('no link is made to an object store that could not be started', async () => {
  const failing = composeArchives(env, async () => {
    throw new FairleadError('UNAVAILABLE', 'object-store was not started');
  });
  await assert.rejects((failing ?? assert.fail()).downloadUrl('prod/shop.pgdump', LINK), { code: 'UNAVAILABLE' });
});
