import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { freePort } from './free-port.ts';

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

/** A ledger in a process of its own, set as in production, its log thrown away. */
export interface LedgerProcess {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** @param options of all processes of one ledger: they share its database and keys */
export async function startLedgerProcess(options: {
  mongodbUri: string;
  key: string;
  signingKey?: string;
  emitLimit?: number;
  /** Whose tokens it takes besides the key, which is then that provider's as well. */
  idpUrl?: string;
  /** How far its clock is from that of this machine. */
  aheadMs?: number;
}): Promise<LedgerProcess> {
  const { mongodbUri, key, signingKey = randomBytes(32).toString('base64'), emitLimit = 1_000_000_000 } = options;
  const port = await freePort();
  const ignored = openSync('/dev/null', 'w');
  const child = fork(MAIN, ['--only', 'audit-ledger'], {
    stdio: ['ignore', ignored, 'inherit', 'ipc'],
    execArgv: [...SERVICE_FLAGS, ...(options.aheadMs === undefined ? [] : ['--import', clockAhead(options.aheadMs)])],
    env: {
      ...residentVariables(process.env),
      PATH: process.env.PATH,
      MONGODB_URI: mongodbUri,
      AUDIT_MONGODB_URI: mongodbUri,
      INTERNAL_SERVICE_KEY: key,
      AUDIT_SIGNING_KEY: signingKey,
      AUDIT_PORT: String(port),
      AUDIT_EMIT_RATE_LIMIT: String(emitLimit),
      REQUESTS_PER_MINUTE: '1000000000',
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      ...(options.idpUrl === undefined ? {} : { IDP_URL: options.idpUrl }),
    },
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message', { signal: AbortSignal.timeout(60_000) }),
    exited.then(() => {
      throw new Error('the ledger ended at its start');
    }),
  ]);
  const kill = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, key, pid: child.pid ?? 0, kill };
}

/** A module that sets the clock of a process. */
function clockAhead(aheadMs: number): string {
  const source = `const Right = Date;
    globalThis.Date = class Date extends Right {
      constructor(...given) { given.length === 0 ? super(Right.now() + ${aheadMs}) : super(...given); }
      static now() { return Right.now() + ${aheadMs}; }
    };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
