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

/**
 * What folders take on the disk, without files that vanish meanwhile. Null when they hold too many files to be measured in
 * time.
 */
export async function bytesIn(folders: readonly string[], env: ProcessEnv): Promise<number | null> {
  if (folders.length === 0) return 0;
  const signal = AbortSignal.timeout(MEASURE_MS);
  const measured = await runProcess('du', ['-skx', '--', ...folders], { env, signal }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  const kib = measured?.stdout.match(/^\d+/gm)?.map(Number) ?? [];
  return kib.length === 0 ? null : kib.reduce((sum, value) => sum + value, 0) * 1024;
}
