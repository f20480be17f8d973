import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createSnapshotFiles } from '../../../adapters/status-page/snapshot-files.ts';

it('keeps the last page of each org, whole, and none under a name that is no slug', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-snapshots-'));
  t.after(() => rm(folder, { recursive: true }));
  const snapshots = createSnapshotFiles({ folder: join(folder, 'pages') });
  assert.equal(await snapshots.find('acme'), null);
  const pages = Array.from({ length: 20 }, (_, index) => `<p>${index}</p>`.repeat(10_000));
  await Promise.all(pages.map((page) => snapshots.keep('acme', page)));
  assert.ok(pages.includes((await snapshots.find('acme')) ?? ''));
  await snapshots.keep('../acme', 'outside');
  assert.equal(await snapshots.find('../acme'), null);
  assert.deepEqual(await readdir(folder), ['pages']);
  assert.deepEqual(await readdir(join(folder, 'pages')), ['acme.html']);
});
