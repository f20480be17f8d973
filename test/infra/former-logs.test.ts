import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { removeFormerLogs } from '../../infra/dev/former-logs.ts';

it('logs of an earlier version are removed, those of today and what else is there are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-former-logs-'));
  try {
    for (const name of ['worker.log', 'temporal-ui.log.1', 'rotation.json', 'My notes.log.txt']) {
      await writeFile(join(folder, name), 'x');
    }
    await mkdir(join(folder, 'worker', 'out'), { recursive: true });
    await writeFile(join(folder, 'worker', 'out', '1.log'), 'x');
    await mkdir(join(folder, 'folder.log'));
    for (let times = 0; times < 2; times += 1) await removeFormerLogs(folder);
    assert.deepEqual((await readdir(folder)).sort(), ['My notes.log.txt', 'folder.log', 'rotation.json', 'worker']);
    assert.deepEqual(await readdir(join(folder, 'worker', 'out')), ['1.log']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
