import { readFile } from 'node:fs/promises';
import type { ProcessEnv } from '../../process/base-env.ts';
import { runProcess } from '../../process/run-process.ts';

const MEASURE_MS = 30_000;

/** The folder into which a container's own files are written, by one of its processes; null when it is not to be known. */
export async function writtenFolder(pid: number): Promise<string | null> {
  const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
  const root = mounts.split('\n').find((line) => / - overlay /.test(line) && line.split(' ')[4] === '/');
  return /[ ,]upperdir=([^, ]+)/.exec(root ?? '')?.[1] ?? null;
}

/** What folders take on the disk. Files that vanish meanwhile do not count. */
export async function bytesIn(folders: readonly string[], env: ProcessEnv): Promise<number> {
  if (folders.length === 0) return 0;
  const { stdout } = await runProcess('du', ['-skx', '--', ...folders], {
    env,
    signal: AbortSignal.timeout(MEASURE_MS),
  });
  const kib = stdout.split('\n').map((line) => Number(/^\d+/.exec(line)?.[0] ?? 0));
  return kib.reduce((sum, value) => sum + value, 0) * 1024;
}
