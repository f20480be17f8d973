import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mirrorArchives } from '../../../activities/backups/mirror-archives.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

it('what killed uploads left is removed once no dump can be at it any more, also without an off-site bucket', async () => {
  const { deps, clock } = await createBackupsParts();
  const without = { ...deps, mirror: null };
  const { archives, settings } = deps;
  archives.leaveIncomplete('prod/shop/daily/shop_prod-1.pgdump');
  clock.now = new Date(clock.now.getTime() + settings.dumpTimeoutMs);
  archives.leaveIncomplete('prod/shop/daily/shop_prod-2.pgdump');
  clock.now = new Date(clock.now.getTime() + settings.dumpTimeoutMs + 1);
  assert.equal(await mirrorArchives(without, AbortSignal.timeout(10_000)), null);
  assert.deepEqual(archives.incomplete(), ['prod/shop/daily/shop_prod-2.pgdump']);
});
