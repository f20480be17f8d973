import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lockDataFolder, prepareDataFolder, requireFreeDisk } from '../../infra/dev/data-folder.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a second start on one data folder is refused, a later one is not', async () => {
  const release = await lockDataFolder(folder);
  await assert.rejects(lockDataFolder(folder), new RegExp(`already runs on .* \\(process ${process.pid}\\)`));
  await release();
  await (await lockDataFolder(folder))();
});

test('too little free disk is refused with both figures', async () => {
  await assert.rejects(requireFreeDisk(folder, 2 ** 60), /GiB free, 1073741824\.0 GiB are needed/);
});

test('a data folder that cannot be made names the variable that chooses another', async () => {
  const file = join(folder, 'a-file');
  await writeFile(file, '');
  await chmod(file, 0o600);
  for (const path of [join(file, 'inside'), '/proc/inside']) {
    await assert.rejects(prepareDataFolder(path), /not writable .*FAIRLEAD_DATA_DIR/);
  }
});
