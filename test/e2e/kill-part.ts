import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PartState } from '../../infra/dev/stack-state.ts';
import { waitUntil } from '../support/wait-until.ts';
import { parts } from './harness.ts';

const run = promisify(execFile);

/** Kills a process of the stack by its id and waits until its supervisor has started another. */
export async function killPart(name: string): Promise<void> {
  const before = await part(name);
  if (before.pid === null) throw new Error(`${name} is not a process of the stack`);
  process.kill(before.pid, 'SIGKILL');
  const isAnother = async (): Promise<boolean> => {
    const now = await part(name).catch(() => null); // the file is being replaced
    return now !== null && now.restarts > before.restarts && now.pid !== null && now.pid !== before.pid;
  };
  await waitUntil(`another ${name}`, isAnother, { everyMs: 100 });
}

export async function part(name: string): Promise<PartState> {
  const found = (await parts())[name];
  if (found === undefined) throw new Error(`the stack has no ${name}`);
  return found;
}

/** Command lines of the processes of this machine, in containers as well, that hold one of these words. */
export async function processesWith(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'args'], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\n').filter((line) => words.some((word) => line.includes(word)));
}
