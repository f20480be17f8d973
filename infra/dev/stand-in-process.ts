import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { holdFreePort } from './stack-ports.ts';

/** A MongoDB stand-in in a process of its own. */
export interface StandInProcess {
  /** `mongodb://host:port` */
  readonly address: string;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

/**
 * Starts the stand-in on a free port and on a data file, which it makes if it is not there.
 * @throws Error when it ends at its start
 */
export async function startStandIn(program: string, dataFile: string): Promise<StandInProcess> {
  const { port, close } = await holdFreePort();
  await close();
  const child = spawn(program, [dataFile, '127.0.0.1', String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  await serving(child, exited);
  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { address: `mongodb://127.0.0.1:${port}`, kill };
}

async function serving({ stdout, stderr }: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (stdout === null || stderr === null) throw new Error('the stand-in has no output');
  let problem = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
    process.stderr.write(text);
  });
  await Promise.race([
    once(stdout, 'data', { signal: AbortSignal.timeout(60_000) }),
    exited.then(() => {
      throw new Error(`the MongoDB stand-in ended at its start: ${problem}`);
    }),
  ]);
  stdout.resume();
}
