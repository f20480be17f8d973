import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { residentVariables, WORKER_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { testWorkflowBundle } from './workflow-bundle.ts';

const MAIN = fileURLToPath(new URL('../../workers/all.ts', import.meta.url));

/** Nothing listens there: a worker of a test leaves the machine's containers alone. */
const NO_ENGINE = 'tcp://127.0.0.1:9';

export interface WorkerProcess {
  readonly pid: number;
  /** Resolves with the exit code once it is gone; null after SIGKILL. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Rejects when it ends by itself. */
  readonly running: Promise<never>;
}

/** A worker in a process of its own, as `npm start` runs it. Resolves once it serves. */
export async function startWorker(variables: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-worker-'));
  const { PATH = '', HOME = '', XDG_CACHE_HOME = '', DOCKER_CLI = '' } = process.env;
  const child = fork(MAIN, [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...WORKER_FLAGS],
    env: {
      ...residentVariables(process.env),
      ...{ PATH, HOME, XDG_CACHE_HOME, DOCKER_CLI, DOCKER_HOST: NO_ENGINE },
      WORKFLOW_BUNDLE: (await testWorkflowBundle()).codePath,
      ...{ DATA_DIR: folder, WORKSPACE_DIR: join(folder, 'workspaces') },
      ...variables,
    },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const running = exited.then(() => Promise.reject(new Error('the worker ended by itself')));
  running.catch(() => undefined);
  await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(120_000) }), running]);
  return {
    pid: child.pid ?? 0,
    running,
    kill: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}
