import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
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

it('writes a page to the disk before it takes the place of the last one, for every user of this machine to read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-snapshots-'));
  t.after(() => rm(folder, { recursive: true }));
  const snapshots = createSnapshotFiles({ folder });
  const handle = await open(folder, 'r');
  const names: string[][] = [];
  const proto = Object.getPrototypeOf(handle) as typeof handle;
  const { sync } = proto;
  t.mock.method(proto, 'sync', async function (this: typeof handle) {
    names.push(await readdir(folder));
    return sync.call(this);
  });
  await handle.close();
  await snapshots.keep('acme', '<p>now</p>');
  const [first = [], last] = names;
  assert.ok(first.length === 1 && !first.includes('acme.html'), 'first the page, under another name');
  assert.deepEqual(last, ['acme.html'], 'then the folder, with its new name');
  assert.equal((await stat(join(folder, 'acme.html'))).mode & 0o777, 0o644);
});
