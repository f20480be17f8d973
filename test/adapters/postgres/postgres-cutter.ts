import { connect, createServer, type Socket } from 'node:net';

/** Types of messages that the server answers: a query, or the end of a group of messages. */
const ASKING = ['Q'.charCodeAt(0), 'S'.charCodeAt(0)];
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

export interface PostgresCutter {
  readonly port: number;
  /** Cuts the next connection at its n-th statement, before the server gets it or when it has answered; null: never. */
  cutAt(statement: number | null, when: 'before' | 'after'): void;
  /** Whether a connection was cut since. */
  readonly wasCut: () => boolean;
  stop(): Promise<void>;
}

/** Stands between a client and a PostgreSQL server, and ends connections between statements, as a killed client does. */
export async function startPostgresCutter(serverPort: number): Promise<PostgresCutter> {
  let plan: { readonly statement: number | null; readonly when: 'before' | 'after' } = {
    statement: null,
    when: 'before',
  };
  let cut = false;
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const { statement, when } = plan;
    const server = connect(serverPort, '127.0.0.1');
    let asked = 0;
    let endsWithAnswer = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket.on('error', end).on('close', end));
    }
    readMessages(client, (message, isStartup) => {
      const isAsking = !isStartup && ASKING.includes(message[0] ?? 0);
      if (isAsking) asked += 1;
      const isLast = isAsking && asked === statement;
      cut ||= isLast;
      if (isLast && when === 'before') return end();
      endsWithAnswer ||= isLast;
      server.write(message);
    });
    server.on('data', (chunk: Buffer) => {
      if (endsWithAnswer) end();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as { port: number }).port,
    cutAt: (statement, when) => {
      plan = { statement, when };
      cut = false;
    },
    wasCut: () => cut,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Whole messages, each as it came. The first one of a connection has no type. */
function readMessages(socket: Socket, take: (message: Buffer, isStartup: boolean) => void): void {
  let pending = Buffer.alloc(0);
  let isStartup = true;
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let size = sizeOf(pending, isStartup); size <= pending.length; size = sizeOf(pending, isStartup)) {
      const message = pending.subarray(0, size);
      pending = pending.subarray(size);
      take(message, isStartup);
      isStartup = false;
    }
  });
}

/** Of the message that a buffer begins with; infinite while its length is not there. */
function sizeOf(buffer: Buffer, isStartup: boolean): number {
  const head = isStartup ? 0 : TYPE_BYTES;
  return buffer.length < head + LENGTH_BYTES ? Number.POSITIVE_INFINITY : head + buffer.readUInt32BE(head);
}
