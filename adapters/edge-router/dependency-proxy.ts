import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { DEPENDENCY_DOMAIN, parseTunnel } from '../../domain/deploys/dependency.ts';
import { closeServer } from './close-server.ts';
import { createDestinationOf } from './destination-of.ts';
import { answerError, type EdgeError } from './error-page.ts';
import { refusalOf } from './forward-headers.ts';
import type { FindAddress } from './forward-request.ts';
import { createForwardingServer, type EdgeTimeouts } from './forwarding-server.ts';
import { type HostTarget, parseHost } from './host-name.ts';

export interface DependencyProxy {
  readonly server: Server;
  /** Takes no more tunnels and requests, lets those in flight end for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>;
}

const NO_TUNNEL: EdgeError = {
  status: 404,
  title: 'There is no such service here',
  advice: 'This is the proxy to dependencies: relays open tunnels to them.',
};
const OTHER_SERVICE: EdgeError = {
  status: 404,
  title: 'This address is of another service',
  advice: 'Use the address that the service was given, and declare each service that it calls in spec.dependencies.',
};

const MAX_CONNECTIONS = 10_000;

/** The service that a tunnel leads to, by its name and, but from relays of earlier versions, by its id. */
interface TunnelTarget extends HostTarget {
  readonly serviceId: string | null;
}

/**
 * The way of workloads to the services that they depend on. It listens on a Unix socket that relays have, and no workload
 * has. A relay opens a tunnel to one service in one environment (CONNECT, RFC 9110, section 9.3.6), as it was started to;
 * every request in the tunnel goes to that service, by the route it has at that moment, or is refused. So what a workload
 * sends decides nothing about whom it reaches.
 */
export function createDependencyProxy(options: {
  readonly routesDirectory: string;
  readonly onError: (error: unknown) => void;
  readonly timeouts?: Partial<EdgeTimeouts>;
}): DependencyProxy {
  const targets = new WeakMap<object, TunnelTarget>();
  const destinationOf = createDestinationOf(options);
  const find: FindAddress = (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return { error: { status: 400, title: 'The request is malformed', advice: refusal } };
    const target = targets.get(request.socket);
    const asked = parseHost(request.headers.host, DEPENDENCY_DOMAIN);
    const isSame = target?.service === asked?.service && target?.environment === asked?.environment;
    return target === undefined || !isSame ? { error: OTHER_SERVICE } : destinationOf(target, target.serviceId);
  };
  const inside = createForwardingServer({ find, onError: options.onError, timeouts: options.timeouts });
  // It never listens: it is given the tunnels. Node begins with this event to hold connections to their times, and to know
  // the idle ones.
  inside.server.emit('listening');
  const tunnels = new Set<Socket>();
  const server = createServer((request, response) => answerError(request, response, NO_TUNNEL));
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
    socket.on('error', () => socket.destroy());
    const { serviceId, host } = parseTunnel(request.url ?? '');
    const target = parseHost(host, DEPENDENCY_DOMAIN);
    if (target === null) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    targets.set(socket, { ...target, serviceId });
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    inside.server.emit('connection', socket);
  });
  return {
    server,
    async close(graceMs) {
      const closed = closeServer(server, graceMs, () => {
        for (const socket of tunnels) socket.destroy();
      });
      inside.server.closeIdleConnections();
      await closed;
      await inside.close(0);
    },
  };
}
