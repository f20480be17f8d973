import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** PostgreSQL refuses to run as root, so nobody becomes root for it. */
const NAMESPACE = process.getuid?.() === 0 ? ['--mount'] : ['--map-current-user', '--keep-caps', '--mount'];
const SCRIPT =
  'mount -t tmpfs -o size="$2"m fairlead-test "$1" && exec "$0" --disable-warning=ExperimentalWarning "$3" "$1"';
const LIMIT_MS = 280_000;

/**
 * Runs a program of Node.js where the folder that it is given is a file system of so many MiB, which nobody else sees.
 * @returns what it prints, as JSON
 */
export async function runOnSmallDisk<T>(program: string, sizeMib: number): Promise<T> {
  const disk = await mkdtemp(join(tmpdir(), 'fairlead-small-disk-'));
  try {
    const shell = ['sh', '-c', SCRIPT, process.execPath, disk, String(sizeMib), program];
    const { stdout } = await promisify(execFile)('unshare', [...NAMESPACE, ...shell], { timeout: LIMIT_MS });
    return JSON.parse(stdout);
  } finally {
    await rm(disk, { recursive: true, force: true });
  }
}
