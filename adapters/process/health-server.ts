import { createServer } from 'node:http';
import { closeAtOnce, type ListenAddress, listen } from './listen.ts';

export interface HealthServerOptions extends ListenAddress {
  /** Resolves while the process does its work; rejects, or hangs, while what it needs is away. */
  readonly check: () => Promise<unknown>;
}

export interface HealthServer {
  /** The process serves from now on. */
  ready(): void;
  /** It ends: from now on it is not ready, and still alive. */
  stopping(): void;
  close(): Promise<void>;
}

const CHECK_LIMIT_MS = 3_000;

/**
 * Tells who watches a process without an API of its own how it is: `GET /health` answers 200 while it serves and `check` passes, else
 * 503; `GET /health/live` answers 200 as long as the process answers at all. Neither says why. The HTTP services answer the same paths
 * on their own ports.
 * @throws CONFLICT when the port is in use
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  let phase: 'starting' | 'serves' | 'stops' = 'starting';
  const isReady = async (): Promise<boolean> => phase === 'serves' && (await passes(options.check));
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify({ status: text }));
    };
    if (request.url === '/health/live') return answer(200, 'ok');
    if (request.url !== '/health') return answer(404, 'no such path');
    void isReady().then((ready) => (ready ? answer(200, 'ok') : answer(503, phase === 'serves' ? 'failing' : phase)));
  });
  await listen(server, options);
  return {
    ready: () => {
      phase = 'serves';
    },
    stopping: () => {
      phase = 'stops';
    },
    close: () => closeAtOnce(server),
  };
}

async function passes(check: () => Promise<unknown>): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => limit.resolve(false), CHECK_LIMIT_MS);
  const passed = check().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([passed, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
