import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LARGEST_LIST_BYTES = 64 * 1024 * 1024;

/**
 * What the format check looks at, as paths below the root: the files that git tracks, and new ones that it does not
 * ignore. New files count only in folders of the root that git knows: a stray folder, such as a clone inside the
 * checkout, is left out. Without git, as in an unpacked archive, it is everything: `.`.
 */
export async function checkedFiles(root: string): Promise<readonly string[]> {
  if (!(await isCheckout(root))) return ['.'];
  const tracked = await listFiles(root, '--cached');
  const known = new Set(tracked.map(topFolder));
  const added = (await listFiles(root, '--others', '--exclude-standard')).filter((path) => known.has(topFolder(path)));
  // Git lists a clone inside a clone as a folder, and a tracked file that was just deleted as if it were there.
  return [...tracked, ...added].filter((path) => !path.endsWith('/') && existsSync(join(root, path)));
}

/** False for an archive, also where it was unpacked inside the checkout of something else. */
async function isCheckout(root: string): Promise<boolean> {
  return run('git', ['rev-parse', '--show-toplevel'], { cwd: root }).then(
    async ({ stdout }) => stdout.trim() === (await realpath(root)),
    () => false,
  );
}

async function listFiles(root: string, ...which: readonly string[]): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', ...which], { cwd: root, maxBuffer: LARGEST_LIST_BYTES });
  return stdout.split('\0').filter(Boolean);
}

/** `.` for a file at the root. */
function topFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
}
