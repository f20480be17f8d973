import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { closeServer } from './close-server.ts';
import { answerError, type EdgeError } from './error-page.ts';
import { createForwarder, type FindAddress, type ForwardOptions } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';

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
  /** Takes no more requests, lets those in flight end for `graceMs`, then cuts them and all WebSockets. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: EdgeTimeouts = { headers: 20_000, request: 600_000, connect: 5_000, answer: 300_000 };
/** For a request that Node's parser takes and its client refuses to send. */
const UNFIT: EdgeError = {
  status: 400,
  title: 'The request cannot be passed on',
  advice: 'A header or the path holds characters that none may have.',
};

const MAX_CONNECTIONS = 10_000;

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
}): ForwardingServer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const forwarding: ForwardOptions = {
    find: options.find,
    onError: options.onError,
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
    (request, response) => {
      try {
        forwarder.forward(request, response);
      } catch (error) {
        options.onError(error);
        answerError(request, response, UNFIT);
      }
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const upgraded = new Set<Socket>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    try {
      forwardUpgrade(request, socket, head, forwarding);
    } catch (error) {
      options.onError(error);
      socket.destroy();
    }
  });
  server.once('close', () => forwarder.close());
  return {
    server,
    async close(graceMs) {
      const closed = closeServer(server, graceMs);
      // A WebSocket has no end to wait for.
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}
