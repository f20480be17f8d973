import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ROWS, serviceRow } from '../../domain/services.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { keptSecrets } from '../../infra/dev/stack-secrets.ts';
import type { PartState } from '../../infra/dev/stack-state.ts';
import { createSupervisor } from '../../infra/dev/supervisor.ts';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

/** The console as a process of its own under a supervisor, as where the services are split. */
export interface ConsoleProcess extends AsyncDisposable {
  readonly url: string;
  /** Kills it, and waits until another one serves. */
  kill(): Promise<void>;
}

/**
 * Starts it beside a stack, in whose console people sign in: it has the key of that one, and its cookies, which are of the
 * name `localhost` and no port.
 */
export async function startConsoleProcess(
  dataDir: string,
  parts: Readonly<Record<string, PartState>>,
): Promise<ConsoleProcess> {
  await using undo = new AsyncDisposableStack();
  const logFolder = await mkdtemp(join(tmpdir(), 'fairlead-console-'));
  undo.defer(() => rm(logFolder, { recursive: true, force: true }));
  const supervisor = createSupervisor({ logFolder });
  undo.defer(() => supervisor.stop());
  const { portVariable, secrets } = serviceRow('console');
  const { secret } = await keptSecrets(dataDir);
  const port = await freePort();
  const urls = SERVICE_ROWS.map(({ name, baseUrlVariable }) => [
    baseUrlVariable,
    parts[name === 'builder' ? 'api' : name]?.address ?? '',
  ]);
  const url = `http://localhost:${port}`;
  await supervisor.start({
    name: 'console',
    command: process.execPath,
    args: [...SERVICE_FLAGS, join(projectRoot, 'api/main.ts'), '--only', 'console'],
    env: {
      ...residentVariables(process.env),
      ...Object.fromEntries(urls),
      // No key of the platform.
      ...Object.fromEntries(secrets.map(({ variable }) => [variable, secret(variable)])),
      HOST: '127.0.0.1',
      [portVariable]: String(port),
    },
    exitsBy: 'ipc',
    ready: { kind: 'ipc' },
    readyTimeoutMs: 60_000,
    graceMs: 5_000,
  });
  const running = undo.move();
  return {
    url,
    async kill() {
      const { pid, restarts = 0 } = supervisor.states().console ?? {};
      if (pid === undefined) throw new Error('the console does not run');
      process.kill(pid, 'SIGKILL');
      await waitUntil('another console', async () => {
        if ((supervisor.states().console?.restarts ?? 0) <= restarts) return false;
        return (await fetch(`${url}/health`).catch(() => null))?.ok === true;
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
