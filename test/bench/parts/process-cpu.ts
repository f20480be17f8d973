import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** CPU time in µs that a process has used so far, all its living threads together. */
export async function processCpu(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => null);
  if (threads === null) return fromPs(pid);
  const used = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  // The first field: nanoseconds on a processor.
  return (await Promise.all(used)).reduce((sum, text) => sum + Number(text.split(' ', 1)[0]) / 1_000, 0);
}

/** `[[dd-]hh:]mm:ss[.cc]`, as systems without /proc have it. */
async function fromPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]);
  const parts = stdout.trim().split(/[-:]/).map(Number).reverse();
  const weights = [1, 60, 3_600, 86_400];
  return parts.reduce((sum, part, index) => sum + part * (weights[index] ?? 0), 0) * 1e6;
}
