import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createProbeGuard } from '../../../adapters/prober/probe-guard.ts';
import type { CheckDeps } from '../../../adapters/prober/run-check.ts';

export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** Connections that came. */
  readonly connections: () => number;
}

/** A TCP server on the loopback; whatever is open is cut in the end. */
export async function listenTcp(onConnection: (socket: Socket) => void): Promise<Listener> {
  return await listening(createTcpServer(onConnection));
}

export async function listenHttp(onRequest: RequestListener): Promise<Listener> {
  return await listening(createServer({ keepAliveTimeout: 1 }, onRequest));
}

/** Answers whatever is sent, and then says something again and again. */
export function endlessly(again: string | Buffer, first: string | Buffer = '') {
  const piece = Buffer.concat(Array.from({ length: 1_000 }, () => Buffer.from(again)));
  return (socket: Socket): void => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.once('data', () => {
      socket.write(first);
      socket.on('drain', write);
      write();
    });
  };
}

async function listening(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Checks may reach this machine, as if the operator had listed it. */
export const ON_LOOPBACK: CheckDeps = {
  guard: createProbeGuard({
    networks: { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null },
    lookup: async () => [{ address: '127.0.0.1' }],
  }),
  nameServers: [],
};
