import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { FairleadError } from '../../domain/errors.ts';
import { expressMessages } from './express-messages.ts';

/** How long requests in flight may take when a service stops. */
export const DRAIN_MS = 10_000;

/** A service that listens. */
export interface RunningService {
  /** Such as `http://127.0.0.1:3002`. */
  readonly address: string;
  /** Takes no new connections, lets requests in flight end, and cuts what is left after the grace. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Told when the port is in use. */
  readonly portVariable?: string;
  readonly stopping: AbortController;
  readonly graceMs: number;
  /** Takes over connections that ask to become WebSockets; without it such requests are answered as others are. */
  readonly upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
}

const KEEP_ALIVE_MS = 65_000;
const REQUEST_MS = 300_000;
const SWEEP_MS = 50;

/**
 * Listens, and stops gracefully: `stopping` is aborted first, on which open event streams end by themselves.
 * @throws CONFLICT when the port is in use.
 */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningService> {
  const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS };
  const server = createServer({ ...settings, ...expressMessages(listener) }, listener);
  // Longer than keep-alive, so that a connection in reuse is never cut while its headers arrive.
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  if (options.upgrade !== undefined) server.on('upgrade', options.upgrade);
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const message = `Cannot listen on ${options.host}:${options.port}: choose another ${options.portVariable ?? 'port'} or end what uses it`;
    throw new FairleadError('CONFLICT', message, { cause });
  }
  return { address: addressOf(server, options.host), stop: () => stop(server, options) };
}

async function stop(server: Server, options: { stopping: AbortController; graceMs: number }): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  options.stopping.abort();
  server.closeIdleConnections();
  // A connection whose request was in flight is idle after it, and would be kept for the next until the grace is over.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), options.graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new FairleadError('INTERNAL', 'the server has no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
