import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { FairleadError } from '../../domain/errors.ts';
import { cacheFolder, type Env } from './project.ts';
import type { Reporter } from './terminal.ts';
import { isAlive, waitForLock } from './tools/folder-lock.ts';
import { which } from './tools/resolve-tool.ts';
import { runProgram } from './tools/run-program.ts';

export interface EngineOptions {
  readonly env: Env;
  readonly report: Reporter;
  /** Go ahead with installing and starting an engine without asking. */
  readonly yes: boolean;
  /** Look, but neither install nor start one. */
  readonly lookOnly?: boolean;
}

export interface Engine {
  readonly docker: Docker;
  readonly version: string;
  readonly address: string;
  /** "running already" or "started by Fairlead". */
  readonly how: string;
  /** Ends this stack's use of an engine; the last user stops one that Fairlead started. */
  readonly leave: () => Promise<void>;
}

const SOCKET = '/var/run/docker.sock';
const START_DEADLINE_MS = 60_000;

/**
 * The running container engine, or one that is installed and started where the machine allows it.
 * @throws FairleadError UNAVAILABLE with one line saying how to get one
 */
export async function useEngine(options: EngineOptions): Promise<Engine> {
  const users = join(cacheFolder(options.env), 'dockerd');
  await mkdir(users, { recursive: true });
  const lock = await waitForLock(join(users, 'lock'), () => undefined);
  try {
    let version = await engineVersion(options.env);
    if (version === undefined) version = await startEngine(options, users);
    const owned = await startedPid(users);
    if (owned !== undefined && !options.lookOnly) await writeFile(join(users, `user-${process.pid}`), '');
    return {
      docker: dockerClient(options.env),
      version,
      address: options.env.DOCKER_HOST || `unix://${SOCKET}`,
      how: owned === undefined ? 'running already' : 'started by Fairlead',
      leave: () => (owned === undefined ? Promise.resolve() : leaveEngine(users, owned)),
    };
  } finally {
    await lock.release();
  }
}

/** A client of the engine that `DOCKER_HOST` or the usual socket names. */
export function dockerClient(env: Env): Docker {
  // The client reads DOCKER_HOST by itself when it gets no address.
  return env.DOCKER_HOST ? new Docker() : new Docker({ socketPath: SOCKET });
}

async function engineVersion(env: Env): Promise<string | undefined> {
  try {
    return (await dockerClient(env).version()).Version;
  } catch (error) {
    if (env.DOCKER_HOST) {
      const message = `no container engine answers at DOCKER_HOST=${env.DOCKER_HOST}: correct or unset it`;
      throw new FairleadError('UNAVAILABLE', message, { cause: error });
    }
    return undefined;
  }
}

async function startEngine(options: EngineOptions, users: string): Promise<string> {
  const installed = (await which('dockerd', options.env)) !== undefined;
  const possible = process.getuid?.() === 0 && (installed || (await isDebian()));
  const remedy = possible
    ? 'answer yes, or run "npm start -- --yes"'
    : 'start Docker, install it from https://docs.docker.com/engine/install, or set DOCKER_HOST';
  const refusal = new FairleadError('UNAVAILABLE', `no container engine is running: ${remedy}`);
  if (!possible || options.lookOnly) throw refusal;
  if (!(options.yes || options.env.CI === 'true' || (await ask(installed)))) throw refusal;
  if (!installed) {
    await options.report.work('Container engine: apt-get install docker.io', '20 to 60 s', installEngine);
  }
  const logFile = join(users, 'dockerd.log');
  return options.report.work('Container engine: starting dockerd', '6 s', () =>
    launchEngine(options.env, users, logFile),
  );
}

async function installEngine(): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await runProgram('apt-get', ['update', '-qq'], { env });
    await runProgram('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'docker.io'], { env });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FairleadError('UNAVAILABLE', `docker.io could not be installed: ${reason}`, { cause: error });
  }
}

async function launchEngine(env: Env, users: string, logFile: string): Promise<string> {
  const log = openSync(logFile, 'a', 0o600);
  // A session of its own: the Ctrl-C that stops one stack must not stop the engine of another.
  const child = spawn('dockerd', ['--host', `unix://${SOCKET}`], { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code) => {
    failure ??= `dockerd ended with ${code}`;
  });
  child.unref();
  const deadline = Date.now() + START_DEADLINE_MS;
  while (failure === undefined && Date.now() < deadline) {
    const version = await engineVersion(env);
    if (version !== undefined && child.pid !== undefined) {
      await writeFile(join(users, 'pid'), String(child.pid));
      return version;
    }
    await delay(200);
  }
  child.kill('SIGTERM');
  throw new FairleadError(
    'UNAVAILABLE',
    `dockerd did not start: ${failure ?? 'no answer in 60 s'}; its log is ${logFile}`,
  );
}

async function leaveEngine(users: string, pid: number): Promise<void> {
  const lock = await waitForLock(join(users, 'lock'), () => undefined);
  try {
    await rm(join(users, `user-${process.pid}`), { force: true });
    for (const name of await readdir(users)) {
      const user = Number(/^user-(\d+)$/.exec(name)?.[1] ?? 0);
      if (user > 0 && isAlive(user)) return;
      if (user > 0) await rm(join(users, name), { force: true });
    }
    if ((await startedPid(users)) !== pid) return;
    process.kill(pid, 'SIGTERM');
    const deadline = Date.now() + 20_000;
    while (isAlive(pid) && Date.now() < deadline) await delay(100);
    await rm(join(users, 'pid'), { force: true });
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

async function isDebian(): Promise<boolean> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release);
}

async function ask(installed: boolean): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const action = installed ? 'Start dockerd' : 'Install docker.io with apt-get and start dockerd';
  const answer = await prompt.question(`No container engine is running. ${action}? [y/N] `);
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}
