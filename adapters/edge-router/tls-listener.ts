import type { Socket } from 'node:net';
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import type { ForwardingServer } from './forwarding-server.ts';
import { createHttp2Sessions } from './http2-sessions.ts';

/** Milliseconds. */
export interface TlsTimeouts {
  /** From a connection to the end of its handshake. */
  readonly handshake: number;
  /** A connection of HTTP/2 without a request. */
  readonly idle: number;
  /** A client's whole request over HTTP/2; that of HTTP/1.1 is of the forwarding server. */
  readonly request: number;
}

export interface TlsListener {
  readonly server: Server;
  /** Takes no more requests, lets those in flight end for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

const TIMEOUTS: TlsTimeouts = { handshake: 10_000, idle: 65_000, request: 600_000 };
const MAX_CONNECTIONS = 10_000;

/**
 * The router over TLS: shows each host its own certificate, by the name that the client asks for (SNI, RFC 6066, section 3),
 * and refuses the handshake of any other, as of a client that names none. Speaks HTTP/2 with whom it agrees on that (ALPN,
 * RFC 7301), HTTP/1.1 with all others. What is asked is passed on by the forwarding server, which holds each request to the
 * host of its certificate.
 */
export function createTlsListener(options: {
  readonly forwarding: ForwardingServer;
  /** What a host is served with, null for none. */
  readonly contextOf: (servername: string) => SecureContext | null;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<TlsTimeouts> | undefined;
}): TlsListener {
  const { forwarding, contextOf, onError } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const http2 = createHttp2Sessions(forwarding.forward, { timeouts, onError });
  const server = createServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    noDelay: true,
    SNICallback(servername, done) {
      // Without a context there is no certificate, and the client gets the alert `handshake_failure`.
      done(null, findContext(contextOf, servername, onError));
    },
  });
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Set<Socket>();
  const handshakes = new Map<string, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    // Of one that is gone already nobody knows whose it was.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const ends = endsOf(socket);
    open.add(socket);
    // That of Node begins anew with every byte.
    const timer = setTimeout(() => socket.destroy(), timeouts.handshake);
    handshakes.set(ends, timer);
    socket.once('close', () => {
      open.delete(socket);
      clearTimeout(timer);
      if (handshakes.get(ends) === timer) handshakes.delete(ends);
    });
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const ends = endsOf(socket);
    clearTimeout(handshakes.get(ends));
    handshakes.delete(ends);
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else forwarding.server.emit('connection', socket);
  });
  // Whoever scans the port says nothing of use.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    async close(graceMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      http2.close();
      forwarding.server.closeIdleConnections();
      const timer = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, graceMs);
      await promise;
      clearTimeout(timer);
    },
  };
}

/** Both ends of it: no two connections that are open have the same. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function findContext(
  contextOf: (servername: string) => SecureContext | null,
  servername: string,
  onError: (error: unknown) => void,
): SecureContext | undefined {
  try {
    return contextOf(servername) ?? undefined;
  } catch (error) {
    onError(error);
    return undefined;
  }
}
