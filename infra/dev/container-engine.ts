import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { FairleadError } from '../../domain/errors.ts';
import { cacheFolder, type Env } from './project.ts';
import { type EngineConsent, type EngineMachine, startEngine, thisMachine } from './start-engine.ts';
import type { Reporter } from './terminal.ts';
import { isAlive, waitForLock } from './tools/folder-lock.ts';

export interface EngineOptions {
  readonly env: Env;
  readonly report: Reporter;
  /** What to do where none runs. */
  readonly consent: EngineConsent;
  readonly machine?: EngineMachine;
}

export interface Engine {
  readonly docker: Docker;
  readonly version: string;
  readonly address: string;
  /** "running already" or "started by Fairlead". */
  readonly how: string;
  /** Ends this stack's use of an engine; the last user stops one that Fairlead started. True when this one did. */
  readonly leave: () => Promise<boolean>;
}

/**
 * The running container engine, or one that is installed and started where the machine allows it.
 * @throws FairleadError UNAVAILABLE with one line saying how to get one
 */
export async function useEngine(options: EngineOptions): Promise<Engine> {
  const { env, report, consent, machine = thisMachine } = options;
  const users = join(cacheFolder(env), 'dockerd');
  await mkdir(users, { recursive: true });
  const lock = await waitForLock(join(users, 'lock'), () => undefined);
  try {
    const runningVersion = () => engineVersion(env, machine.socket);
    const start = () => startEngine({ env, report, consent, machine, folder: users, runningVersion });
    const version = (await runningVersion()) ?? (await start());
    const owned = await startedPid(users);
    // Of its own for every use: a process may use the engine for its tests and for its stack at the same time.
    const user = join(users, `user-${process.pid}-${randomBytes(3).toString('hex')}`);
    if (owned !== undefined && consent.may !== 'look') await writeFile(user, '');
    return {
      docker: dockerClient(env, machine.socket),
      version,
      address: env.DOCKER_HOST || `unix://${machine.socket}`,
      how: owned === undefined ? 'running already' : 'started by Fairlead',
      leave: () => (owned === undefined ? Promise.resolve(false) : leaveEngine(users, user, owned)),
    };
  } finally {
    await lock.release();
  }
}

/** A client of the engine that `DOCKER_HOST` or the usual socket names. */
export function dockerClient(env: Env, socketPath = thisMachine.socket): Docker {
  // The client reads DOCKER_HOST by itself when it gets no address.
  return env.DOCKER_HOST ? new Docker() : new Docker({ socketPath });
}

async function engineVersion(env: Env, socket: string): Promise<string | undefined> {
  try {
    return (await dockerClient(env, socket).version()).Version;
  } catch (error) {
    if (env.DOCKER_HOST) {
      const message = `no container engine answers at DOCKER_HOST=${env.DOCKER_HOST}: correct or unset it`;
      throw new FairleadError('UNAVAILABLE', message, { cause: error });
    }
    return undefined;
  }
}

/** True when nobody else uses the engine, which is stopped then. */
async function leaveEngine(users: string, user: string, pid: number): Promise<boolean> {
  const lock = await waitForLock(join(users, 'lock'), () => undefined);
  try {
    await rm(user, { force: true });
    for (const name of await readdir(users)) {
      const other = Number(/^user-(\d+)/.exec(name)?.[1] ?? 0);
      if (other > 0 && isAlive(other)) return false;
      if (other > 0) await rm(join(users, name), { force: true });
    }
    if ((await startedPid(users)) !== pid) return false;
    process.kill(pid, 'SIGTERM');
    const deadline = performance.now() + 20_000;
    while (isAlive(pid) && performance.now() < deadline) await delay(100);
    await rm(join(users, 'pid'), { force: true });
    return true;
  } finally {
    await lock.release();
  }
}

/** The process id of a dockerd that Fairlead started and that still runs. */
async function startedPid(users: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(users, 'pid'), 'utf8').catch(() => '0'));
  if (pid <= 0 || !isAlive(pid)) return undefined;
  // After a reboot the number may be another program's.
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  return name.trim() === 'dockerd' ? pid : undefined;
}
