import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { DatabaseEngine } from '../../domain/databases/engines.ts';
import { closeServer } from './close-server.ts';
import { answerError, type EdgeError } from './error-page.ts';

export interface DatabaseProxy {
  readonly server: Server;
  /** Takes no more tunnels, and cuts those that are open after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where the server of an engine listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const NO_TUNNEL: EdgeError = {
  status: 404,
  title: 'There is no such service here',
  advice: 'This is the proxy to databases: relays open tunnels to them.',
};

const MAX_CONNECTIONS = 10_000;
const CONNECT_MS = 10_000;

/**
 * The way of workloads to the servers of their databases. It listens on a Unix socket that relays have, and no workload
 * has. A relay opens a tunnel (CONNECT, RFC 9110, section 9.3.6) to the server of one engine, as it was started to. Bytes
 * pass as they are: by its user and password the server knows whose a connection is, and refuses it every other database.
 */
export function createDatabaseProxy(options: {
  /** The engine that a tunnel asks for; null for none. */
  readonly engineOf: (to: string) => DatabaseEngine | null;
  readonly servers: Readonly<Partial<Record<DatabaseEngine, ServerAddress>>>;
}): DatabaseProxy {
  const open = new Set<Socket>();
  const server = createServer((request, response) => answerError(request, response, NO_TUNNEL));
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    const engine = options.engineOf(request.url ?? '');
    const address = engine === null ? undefined : options.servers[engine];
    if (address === undefined) refuse(socket, '404 Not Found');
    else tunnel(socket, head, address);
  });
  return {
    server,
    close: (graceMs) =>
      closeServer(server, graceMs, () => {
        for (const socket of open) socket.destroy();
      }),
  };
}

function tunnel(socket: Socket, head: Buffer, address: ServerAddress): void {
  const remote = connect({ ...address, timeout: CONNECT_MS });
  let isOpen = false;
  remote.once('timeout', () => {
    if (!isOpen) remote.destroy();
  });
  remote.once('connect', () => {
    isOpen = true;
    // A connection to a database may be idle for as long as its program likes.
    remote.setTimeout(0);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) remote.write(head);
    socket.pipe(remote);
    remote.pipe(socket);
  });
  remote.on('error', () => remote.destroy());
  remote.once('close', () => {
    if (isOpen) socket.destroySoon();
    else refuse(socket, '502 Bad Gateway');
  });
  socket.once('close', () => remote.destroySoon());
}

function refuse(socket: Socket, status: string): void {
  if (!socket.destroyed) socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
