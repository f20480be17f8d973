import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { FairleadError } from '../../domain/errors.ts';
import type { Env } from './project.ts';
import type { Reporter } from './terminal.ts';
import { which } from './tools/resolve-tool.ts';
import { runProgram } from './tools/run-program.ts';

/** How far a command may go where no engine runs. `CI=true` in the environment goes as far as `install`. */
export interface EngineConsent {
  /**
   * `look`: no further. `ask`: asks before it starts or installs one. `start`: starts an installed one, asks before it
   * installs one. `install`: installs and starts one.
   */
  readonly may: 'look' | 'ask' | 'start' | 'install';
  /** The command that installs and starts an engine without asking, as the hint names it. */
  readonly command: string;
}

/** What there is to know of a machine before an engine is started on it. */
export interface EngineMachine {
  /** Path of the Unix socket that the engine listens on. */
  readonly socket: string;
  readonly isRoot: boolean;
  /** Debian, Ubuntu or one of theirs: `docker.io` is in its package registry. */
  readonly isDebian: () => Promise<boolean>;
  /** Asks the person at the terminal; false where there is none. */
  readonly ask: (question: string) => Promise<boolean>;
}

export const thisMachine: EngineMachine = {
  socket: '/var/run/docker.sock',
  isRoot: process.getuid?.() === 0,
  isDebian: async () => {
    const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
    return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release);
  },
  ask: async (question) => {
    if (!process.stdin.isTTY) return false;
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt.question(`${question} [y/N] `);
    prompt.close();
    return /^y(es)?$/i.test(answer.trim());
  },
};

export interface StartEngineOptions {
  readonly env: Env;
  readonly report: Reporter;
  readonly consent: EngineConsent;
  readonly machine: EngineMachine;
  /** Where its log and process id are kept. */
  readonly folder: string;
  /** The version of the engine that answers, if one does. */
  readonly runningVersion: () => Promise<string | undefined>;
}

const START_DEADLINE_MS = 60_000;

/**
 * Starts the installed engine, or installs one first, as far as the consent goes. @returns its version
 * @throws FairleadError UNAVAILABLE with one line saying how to get one
 */
export async function startEngine(options: StartEngineOptions): Promise<string> {
  const { env, report, consent, machine } = options;
  const installed = await which('dockerd', env);
  const possible = machine.isRoot && (installed !== undefined || (await machine.isDebian()));
  if (!possible) {
    throw refusal('start Docker, install it from https://docs.docker.com/engine/install, or set DOCKER_HOST');
  }
  if (consent.may === 'look') throw refusal(`run "${consent.command}"`);
  if (!(await mayGoAhead(options, installed !== undefined))) {
    throw refusal(`answer yes, or run "${consent.command}"`);
  }
  if (installed === undefined) {
    await report.work('Container engine: apt-get install docker.io', '20 to 60 s', installEngine);
  }
  const program = installed ?? (await which('dockerd', env)) ?? 'dockerd';
  return report.work('Container engine: starting dockerd', '6 s', () => launchEngine(program, options));
}

async function mayGoAhead({ env, consent, machine }: StartEngineOptions, installed: boolean): Promise<boolean> {
  if (consent.may === 'install' || env.CI === 'true') return true;
  if (consent.may === 'start' && installed) return true;
  const action = installed ? 'Start dockerd' : 'Install docker.io with apt-get and start dockerd';
  return machine.ask(`No container engine is running. ${action}?`);
}

function refusal(remedy: string): FairleadError {
  return new FairleadError('UNAVAILABLE', `no container engine is running: ${remedy}`);
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

async function launchEngine(program: string, options: StartEngineOptions): Promise<string> {
  const { folder, machine, runningVersion } = options;
  const logFile = join(folder, 'dockerd.log');
  const log = openSync(logFile, 'a', 0o600);
  // A session of its own: the Ctrl-C that stops one stack must not stop the engine of another.
  const child = spawn(program, ['--host', `unix://${machine.socket}`], { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code) => {
    failure ??= `dockerd ended with ${code}`;
  });
  child.unref();
  const deadline = performance.now() + START_DEADLINE_MS;
  while (failure === undefined && performance.now() < deadline) {
    const version = await runningVersion();
    if (version !== undefined && child.pid !== undefined) {
      await writeFile(join(folder, 'pid'), String(child.pid));
      return version;
    }
    await delay(200);
  }
  child.kill('SIGTERM');
  const reason = failure ?? `no answer in ${START_DEADLINE_MS / 1000} s`;
  throw new FairleadError('UNAVAILABLE', `dockerd did not start: ${reason}; its log is ${logFile}`);
}
