import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { freePort } from './free-port.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

/** Java on a busy machine. The SDK gives a server that it starts five seconds, and no option changes that. */
const START_LIMIT_MS = 60_000;

/** What the SDK itself calls to be on a server, with time skipping or without; no public method joins both. */
interface EnvironmentFactory {
  create(options: {
    readonly server: { readonly type: 'existing' };
    readonly address: string;
    readonly supportsTimeSkipping: true;
  }): Promise<TestWorkflowEnvironment>;
}

/**
 * A Temporal server on which a day of a workflow passes in a moment. Each file has its own: a workflow that one file
 * leaves open would keep the time of all others from being skipped.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const port = await freePort();
  const server = spawn(await toolPath('temporal-test-server'), [String(port)], {
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  const end = async (): Promise<void> => {
    server.kill();
    await ended;
  };
  process.once('exit', () => server.kill('SIGKILL'));
  try {
    await waitUntil('the time-skipping server listens', () => listens(port), { withinMs: START_LIMIT_MS });
    const factory = TestWorkflowEnvironment as unknown as EnvironmentFactory;
    const options = { address: `127.0.0.1:${port}`, supportsTimeSkipping: true } as const;
    const environment = await factory.create({ ...options, server: { type: 'existing' } });
    const disconnect = environment.teardown.bind(environment);
    environment.teardown = async () => {
      await disconnect();
      await end();
    };
    return environment;
  } catch (error) {
    await end();
    throw error;
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
