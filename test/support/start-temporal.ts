import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { freePort } from './free-port.ts';
import { toolPath } from './tool-path.ts';

export interface TestTemporal {
  readonly address: string;
  readonly client: Client;
  stop(): Promise<void>;
}

/** A Temporal server that keeps what it knows in memory: time passes in it as it does elsewhere. */
export async function startTemporal(): Promise<TestTemporal> {
  const address = `127.0.0.1:${await freePort()}`;
  const [ip = '', port = ''] = address.split(':');
  const child = spawn(
    await toolPath('temporal'),
    ['server', 'start-dev', '--headless', '--ip', ip, '--port', port, '--log-level', 'error'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const connecting = Connection.connect({ address, connectTimeout: '60s' });
  const early = ended.then(() => Promise.reject(new Error('Temporal ended at its start')));
  try {
    const connection = await Promise.race([connecting, early]);
    early.catch(() => undefined);
    return {
      address,
      client: new Client({ connection }),
      stop: async () => {
        await connection.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
