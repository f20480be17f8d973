import { connect, createServer, type Socket } from 'node:net';

export interface PostgresCutter {
  /** The address of the server by way of the cutter. */
  readonly uri: string;
  /** From the n-th statement on nothing comes through, before the server gets it or when it has answered; null: all does. */
  cutAt(statement: number | null, when: 'before' | 'after', onCut?: () => void): void;
  /** How many statements there were since. */
  readonly asked: () => number;
  /** Whether one was cut since. */
  readonly wasCut: () => boolean;
  stop(): Promise<void>;
}

/** Of messages of a client: a statement by itself, and one that is prepared with its values. */
const STATEMENTS = new Set(['Q', 'P']);

/** Codes of SSLRequest and GSSENCRequest: the first message proper follows. */
const ASKED_BEFORE = new Set([80_877_103, 80_877_104]);

/**
 * Stands between clients and a PostgreSQL server, without TLS, and ends all connections at one statement, as a worker that is
 * killed does; until it is told otherwise, nobody comes through any more.
 */
export async function startPostgresCutter(serverUri: string): Promise<PostgresCutter> {
  const { hostname, port } = new URL(serverUri);
  let plan: { readonly statement: number | null; readonly when: 'before' | 'after' } = {
    statement: null,
    when: 'before',
  };
  let tell = (): void => undefined;
  let asked = 0;
  let cut = false;
  const sockets = new Set<Socket>();
  const endAll = (): void => {
    cut = true;
    for (const socket of sockets) socket.destroy();
    tell();
  };
  // A message is passed on as it comes: without that, each statement waits 40 ms for an acknowledgement (Nagle's algorithm).
  const listener = createServer({ noDelay: true }, (client) => {
    if (cut) {
      client.destroy();
      return;
    }
    const server = connect({ host: hostname, port: Number(port), noDelay: true });
    let endsWithAnswer = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    readMessages(client, (type, message) => {
      if (cut) return end();
      if (STATEMENTS.has(type)) asked += 1;
      const isLast = STATEMENTS.has(type) && asked === plan.statement;
      if (isLast && plan.when === 'before') return endAll();
      endsWithAnswer ||= isLast;
      server.write(message);
    });
    server.on('data', (chunk: Buffer) => {
      if (endsWithAnswer) endAll();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const own = new URL(serverUri);
  own.port = String((listener.address() as { port: number }).port);
  return {
    uri: own.href,
    cutAt: (statement, when, onCut = () => undefined) => {
      plan = { statement, when };
      tell = onCut;
      asked = 0;
      cut = false;
    },
    asked: () => asked,
    wasCut: () => cut,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Whole messages, each as it came, with its type; those by which a connection begins have none. */
function readMessages(socket: Socket, take: (type: string, message: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  let isFirst = true;
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const typeBytes = isFirst ? 0 : 1;
      if (pending.length < typeBytes + 4) return;
      const size = typeBytes + pending.readInt32BE(typeBytes);
      if (pending.length < size) return;
      const type = isFirst ? '' : String.fromCharCode(pending.readUInt8(0));
      // Tools ask first for an encrypted connection, which the server has none of.
      isFirst &&= ASKED_BEFORE.has(pending.readUInt32BE(4));
      const message = pending.subarray(0, size);
      pending = pending.subarray(size);
      take(type, message);
    }
  });
}
