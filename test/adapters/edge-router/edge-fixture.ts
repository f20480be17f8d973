import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type Agent, createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeServer, type EdgeServerOptions } from '../../../adapters/edge-router/edge-server.ts';
import type { EdgeTimeouts, ForwardingServer } from '../../../adapters/edge-router/forwarding-server.ts';
import type { ExchangeLimits } from '../../../adapters/edge-router/open-exchanges.ts';
import { createEdgeRouter } from '../../../adapters/edge-router/route-files.ts';
import type { EdgeRouter } from '../../../domain/deploys/workload-runtime.ts';

export interface Upstream {
  readonly address: string;
  readonly server: Server;
}

export interface Ask {
  readonly agent?: Agent;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface EdgeFixture {
  readonly directory: string;
  readonly edge: ForwardingServer;
  readonly port: number;
  readonly router: EdgeRouter;
  readonly errors: unknown[];
  upstream(listener: RequestListener): Promise<Upstream>;
  ask(host: string, options?: Ask): Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }>;
  /** A bare connection to the router; what comes back is collected in `received()`. */
  dial(text: string): { socket: Socket; received(): string };
  end(): Promise<void>;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

export async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return text;
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A real router with its routes in a folder of its own. */
export async function makeEdgeFixture(
  timeouts: Partial<EdgeTimeouts> = {},
  exchanges?: ExchangeLimits,
  more: Pick<EdgeServerOptions, 'statusPage'> = {},
): Promise<EdgeFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'edge-'));
  const errors: unknown[] = [];
  const upstreams: Server[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const limits = { timeouts, ...(exchanges !== undefined && { exchanges }) };
  const edge = createEdgeServer({ routesDirectory: directory, domain: 'localhost', onError, ...limits, ...more });
  const port = portOf(await listen(edge.server));
  return {
    ...{ directory, edge, port, errors },
    router: createEdgeRouter({ routesDirectory: directory, domain: 'localhost', port }),
    async upstream(listener) {
      const server = await listen(createServer(listener));
      upstreams.push(server);
      return { server, address: `http://127.0.0.1:${portOf(server)}` };
    },
    async ask(host, { body, headers, agent, ...rest } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const target = { host: '127.0.0.1', port, agent: agent ?? false, headers: { host, ...headers }, ...rest };
      request(target, resolve).on('error', reject).end(body);
      const response = await promise;
      return { status: response.statusCode ?? 0, headers: response.headers, body: await bodyOf(response) };
    },
    dial(text) {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      socket.setEncoding('utf8').on('data', (part) => {
        received += part;
      });
      socket.on('error', () => {});
      socket.write(text);
      return { socket, received: () => received };
    },
    async end() {
      await edge.close(0);
      for (const server of upstreams) {
        server.close();
        server.closeAllConnections();
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const handshake = (host: string): string =>
  `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
