import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { closeServer } from './close-server.ts';
import type { EdgeRequest, EdgeResponse } from './edge-message.ts';
import { createForwarder, type FindAddress, type ForwardOptions } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createOpenExchanges, type ExchangeLimits } from './open-exchanges.ts';

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

export interface ForwardingServer {
  readonly server: Server;
  /** Passes a request on that came in another way, as HTTP/2 does. It throws nothing. */
  forward(request: EdgeRequest, response: EdgeResponse): void;
  /** Takes no more requests, lets those in flight end for `graceMs`, then cuts them and all WebSockets. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: EdgeTimeouts = { headers: 20_000, request: 600_000, connect: 5_000, answer: 300_000 };

const MAX_CONNECTIONS = 10_000;
const EXCHANGES: ExchangeLimits = { most: 10_000, mostOfOne: 5_000, mostToOne: 1_000 };
/** They stay open, and each is one of the connections above: whoever opens them leaves the others some. */
const WEB_SOCKETS: ExchangeLimits = { most: 8_000, mostOfOne: 2_000, mostToOne: 4_000 };

/**
 * An HTTP server that passes every request on to where `find` says, streaming both ways, WebSockets included.
 *
 * On `node:http` itself, because the proxy libraries leave no room for what a redeploy without a failed request needs:
 * they send the body before the connection stands, and choose the connection a repeated request goes over.
 */
export function createForwardingServer(options: {
  readonly find: FindAddress;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts> | undefined;
  readonly exchanges?: ExchangeLimits | undefined;
  readonly webSockets?: ExchangeLimits | undefined;
}): ForwardingServer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const forwarding: ForwardOptions = {
    find: options.find,
    onError: options.onError,
    connectTimeoutMs: timeouts.connect,
    answerTimeoutMs: timeouts.answer,
  };
  const { enter } = createOpenExchanges(options.exchanges ?? EXCHANGES);
  const forwarder = createForwarder({ ...forwarding, enter });
  const upgrading = { ...forwarding, enter: createOpenExchanges(options.webSockets ?? WEB_SOCKETS).enter };
  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
      // Other protocols (h2c) are an offer that a server may pass over.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    oneAtATime(forwarder.forward),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const upgraded = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    try {
      forwardUpgrade(request, socket, head, upgrading);
    } catch (error) {
      options.onError(error);
      socket.destroy();
    }
  });
  server.once('close', () => forwarder.close());
  return {
    server,
    forward: forwarder.forward,
    async close(graceMs) {
      const closed = closeServer(server, graceMs);
      // A WebSocket has no end to wait for.
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}
