import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { holdFreePort } from './free-ports.ts';
import { MONGO_HOST, mongoUri, standInVariables } from './mongo-uri.ts';

/** A MongoDB stand-in in a process of its own. */
export interface StandInProcess {
  /** With its password, and without a database. */
  readonly address: string;
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

/** Where a stand-in answers, and to whom. */
export interface StandInPlace {
  readonly port: number;
  readonly password: string;
}

/**
 * Starts the stand-in on a data file, which it makes if it is not there: on a free port and with a password of its own, unless one that is
 * started again is to be where it was.
 * @throws Error when it ends at its start
 */
export async function startStandIn(program: string, dataFile: string, place?: StandInPlace): Promise<StandInProcess> {
  const { port, password } = place ?? (await newPlace());
  const child = spawn(program, [dataFile, MONGO_HOST, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...standInVariables(password) },
  });
  const exited = once(child, 'exit');
  await serving(child, exited);
  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { address: mongoUri(port, password), kill };
}

async function newPlace(): Promise<StandInPlace> {
  const { port, close } = await holdFreePort();
  await close();
  return { port, password: randomBytes(32).toString('base64url') };
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
