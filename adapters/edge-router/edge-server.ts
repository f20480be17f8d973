import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { EdgeError } from './error-page.ts';
import { refusalOf } from './forward-headers.ts';
import { createForwarder, type FindAddress, type ForwardOptions } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { parseHost } from './host-name.ts';
import { createRouteCache, type FindRoute } from './route-cache.ts';

export interface EdgeServerOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts>;
}

/** Milliseconds. Once an answer has begun, it may take any time. */
export interface EdgeTimeouts {
  /** A client's request line and headers. */
  readonly headers: number;
  /** A client's whole request. */
  readonly request: number;
  /** A connection to the service. */
  readonly connect: number;
  /** The first byte of the service's answer. */
  readonly answer: number;
}

export interface EdgeServer {
  readonly server: Server;
  /** Takes no more requests, lets those in flight end for `graceMs`, then cuts them and all WebSockets. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: EdgeTimeouts = { headers: 20_000, request: 600_000, connect: 5_000, answer: 300_000 };
const MAX_CONNECTIONS = 10_000;
const UNKNOWN: EdgeError = {
  status: 404,
  title: 'Nothing is deployed here',
  advice: 'Deploy it with fairlead deploy, or check the address.',
};
const BROKEN_ROUTE: EdgeError = {
  status: 503,
  title: 'The route of this service cannot be read',
  advice: 'Deploy it again with fairlead deploy; the router’s log names the file.',
};

/**
 * The local router: reaches each service by its host name, streaming both ways, WebSockets included. The route is looked
 * up for every request, so that a switch needs no word to this process.
 *
 * On `node:http` itself, because the proxy libraries leave no room for what a redeploy without a failed request needs:
 * they send the body before the connection stands, and choose the connection a repeated request goes over.
 */
export function createEdgeServer(options: EdgeServerOptions): EdgeServer {
  const { routesDirectory, domain, onError } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const forwarding: ForwardOptions = {
    find: createFinder(createRouteCache(routesDirectory), domain, onError),
    onError,
    connectTimeoutMs: timeouts.connect,
    answerTimeoutMs: timeouts.answer,
  };
  const forwarder = createForwarder(forwarding);
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
      // Other protocols (h2c) are an offer that a server may pass over.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => forwarder.forward(request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const upgraded = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    forwardUpgrade(request, socket, head, forwarding);
  });
  server.once('close', () => forwarder.close());
  return { server, close: (graceMs) => closeServer(server, upgraded, graceMs) };
}

function createFinder(findRoute: FindRoute, domain: string, onError: (error: unknown) => void): FindAddress {
  return (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const host = parseHost(request.headers.host, domain);
    if (host === null) return { error: UNKNOWN };
    try {
      const route = findRoute(host);
      return route === null ? { error: UNKNOWN } : { address: new URL(route.address) };
    } catch (error) {
      onError(error);
      return { error: BROKEN_ROUTE };
    }
  };
}

async function closeServer(server: Server, upgraded: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  // A WebSocket has no end to wait for.
  for (const socket of upgraded) socket.destroy();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearTimeout(timer);
}
