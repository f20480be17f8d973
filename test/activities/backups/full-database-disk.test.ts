import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { FullDatabaseDisk } from './full-database-disk-child.ts';

const DISK_MIB = 160;
const CHILD = join(import.meta.dirname, 'full-database-disk-child.ts');
/** Runs the child where `$1` is a file system of its own. PostgreSQL refuses to run as root, so nobody becomes root for it. */
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--map-current-user', '--keep-caps', '--mount'];
const ON_A_SMALL_DISK = `mount -t tmpfs -o size=${DISK_MIB}m fairlead-test "$1" && exec "$0" --disable-warning=ExperimentalWarning ${JSON.stringify(CHILD)} "$@"`;

describe('a disk of the PostgreSQL server that is full', { timeout: 300_000 }, () => {
  let disk: string;
  let outcome: FullDatabaseDisk;
  before(async () => {
    disk = await mkdtemp(join(tmpdir(), 'full-database-disk-'));
    const shell = ['sh', '-c', ON_A_SMALL_DISK, process.execPath, disk];
    const { stdout } = await promisify(execFile)('unshare', [...NAMESPACE, ...shell], { timeout: 280_000 });
    outcome = JSON.parse(stdout);
  });
  after(() => rm(disk, { recursive: true, force: true }));

  for (const mode of ['swap', 'in-place'] as const) {
    it(`fails a restore (${mode}): the database has what it had, and nothing of the restore is left`, () => {
      const { code, message, status, sums, left } = outcome.full[mode];
      assert.deepEqual([code, status], ['RESTORE_FAILED', 'failed'], message);
      assert.match(message, /No space left on device/);
      assert.ok(typeof sums[0] === 'string' && sums[0] !== outcome.sum, 'it is not what the archive has');
      assert.equal(sums[1], sums[0]);
      assert.deepEqual(left, []);
    });

    it(`fails no restore (${mode}) any more, once there is room`, () => {
      const { code, message, sums, left } = outcome.withRoom[mode];
      assert.equal(code, 'done', message);
      if (mode === 'in-place') assert.equal(sums[1], outcome.sum);
      assert.deepEqual(left, []);
    });
  }
});
