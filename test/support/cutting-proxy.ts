import { connect, createServer, type Socket } from 'node:net';
import { answeredBy, commandOf, idOf, readMessages } from './mongo-messages.ts';

/** Where a connection is cut: after so much of the command, in 0 to 1; or after so much of the answer to it. */
export type Cut = { readonly of: 'command' | 'answer'; readonly part: number };

export interface CuttingProxy {
  readonly port: number;
  readonly cuts: Readonly<Record<Cut['of'], number>>;
  stop(): Promise<void>;
}

/**
 * Stands between clients and a database server, on MongoDB's wire protocol, and cuts the connections of some commands:
 * within the command, which the server then does not carry out; or when the server has answered and the client has not heard
 * all of it, between write and acknowledgement.
 */
export async function startCuttingProxy(options: {
  readonly server: { readonly host: string; readonly port: number };
  readonly isMeant: (command: Readonly<Record<string, unknown>>) => boolean;
  /** Asked before each command that is meant; null lets it pass. */
  readonly next: () => Cut | null;
  /** Called when a connection is cut, before anything else happens. */
  readonly onCut?: () => void;
}): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const cuts = { command: 0, answer: 0 };
  const proxy = createServer((client) => {
    const server = connect(options.server);
    let waiting: { readonly id: number; readonly part: number } | null = null;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    /** Sends a part of a message, and ends both connections when it has left. */
    const cut = (to: Socket, message: Buffer, { of, part }: Cut): void => {
      cuts[of] += 1;
      options.onCut?.();
      to.end(message.subarray(0, Math.floor(part * message.length)));
      (to === client ? server : client).destroy();
    };
    readMessages(client, (message) => {
      const found = options.isMeant(commandOf(message)) ? options.next() : null;
      if (found?.of === 'command') cut(server, message, found);
      else {
        if (found !== null) waiting = { id: idOf(message), part: found.part };
        server.write(message);
      }
    });
    readMessages(server, (message) => {
      if (waiting?.id === answeredBy(message)) cut(client, message, { of: 'answer', part: waiting.part });
      else client.write(message);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  };
  return { port, cuts, stop };
}
