import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An address that stays while the server behind it goes and another one comes. */
export interface SwitchableProxy {
  readonly address: string;
  /** From now on connections lead there; null refuses them. Those that are open are cut, as when a process is killed. */
  lead(to: string | null): void;
  stop(): Promise<void>;
}

export async function startSwitchableProxy(): Promise<SwitchableProxy> {
  let target: URL | null = null;
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (target === null) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => socket.destroy())
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to) {
      target = to === null ? null : new URL(to);
      cut();
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
