import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { freePort } from './free-port.ts';

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

/** A wallet in a process of its own, set as in production, its log thrown away. */
export interface WalletProcess {
  readonly url: string;
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Processes that are started on one database are one wallet. No identity provider is known to them. */
export async function startWalletProcess(options: { mongodbUri: string; key: string }): Promise<WalletProcess> {
  const port = await freePort();
  const ignored = openSync('/dev/null', 'w');
  const child = fork(MAIN, ['--only', 'wallet'], {
    stdio: ['ignore', ignored, 'inherit', 'ipc'],
    execArgv: [...SERVICE_FLAGS],
    env: {
      ...residentVariables(process.env),
      PATH: process.env.PATH,
      MONGODB_URI: options.mongodbUri,
      WALLET_MONGODB_URI: options.mongodbUri,
      INTERNAL_SERVICE_KEY: options.key,
      WALLET_PORT: String(port),
      TEMPORAL_ADDRESS: '127.0.0.1:9',
    },
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message', { signal: AbortSignal.timeout(60_000) }),
    exited.then(() => {
      throw new Error('the wallet ended at its start');
    }),
  ]);
  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, kill };
}
