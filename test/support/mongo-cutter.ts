import { connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

export interface MongoCutter {
  /** The address of the server by way of the cutter. */
  readonly uri: string;
  /** From the n-th command on nothing comes through, before the server gets it or when it has answered; null: all does. */
  cutAt(command: number | null, when: 'before' | 'after', onCut?: () => void): void;
  /** Keeps the n-th such command from the server, as a worker that is paused does, until it is let go on. */
  hold(command: string, database: string, nth?: number): HeldCommand;
  /** How many commands there were since. */
  readonly asked: () => number;
  /** Whether a command was cut since. */
  readonly wasCut: () => boolean;
  stop(): Promise<void>;
}

export interface HeldCommand {
  /** Resolves when the command has come. */
  readonly came: Promise<void>;
  letGo(): void;
}

const HEADER_BYTES = 16;
const MESSAGE = 2013;
/** How clients learn of a server and log in, as often as they like. */
const UNCOUNTED = new Set([
  ...['hello', 'ismaster', 'isMaster', 'ping', 'saslStart', 'saslContinue', 'buildInfo', 'buildinfo', 'endSessions'],
  ...['getParameter', 'serverStatus', 'killCursors'],
]);

/**
 * Stands between clients and a MongoDB server, and ends all connections at one command, as a worker that is killed does;
 * until it is told otherwise, nobody comes through any more.
 */
export async function startMongoCutter(serverUri: string): Promise<MongoCutter> {
  const [, login = '', host = '', port = '', rest = ''] =
    /^mongodb:\/\/([^@]*@)?([^:/]+):(\d+)\/?(.*)$/.exec(serverUri) ?? [];
  let plan: { readonly command: number | null; readonly when: 'before' | 'after' } = { command: null, when: 'before' };
  let tell = (): void => undefined;
  let asked = 0;
  let cut = false;
  let held: (Held & { left: number; come(): void; readonly gone: Promise<void> }) | null = null;
  const sockets = new Set<Socket>();
  const endAll = (): void => {
    cut = true;
    for (const socket of sockets) socket.destroy();
    tell();
  };
  const listener = createServer((client) => {
    if (cut) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), host);
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
    readMessages(client, (message) => {
      if (cut) return end();
      const { command, database } = commandOf(message);
      if (held?.command === command && held.database === database) held.left -= 1;
      if (held?.left === 0) {
        const { come, gone } = held;
        held = null;
        come();
        void gone.then(() => server.write(message));
        return;
      }
      const isCounted = !UNCOUNTED.has(command);
      if (isCounted) asked += 1;
      const isLast = isCounted && asked === plan.command;
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
  const own = (listener.address() as { port: number }).port;
  return {
    uri: `mongodb://${login}127.0.0.1:${own}/${rest}`,
    cutAt: (command, when, onCut = () => undefined) => {
      plan = { command, when };
      tell = onCut;
      asked = 0;
      cut = false;
    },
    hold: (command, database, nth = 1) => {
      const [came, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = { command, database, left: nth, come: came.resolve, gone: gone.promise };
      return { came: came.promise, letGo: gone.resolve };
    },
    asked: () => asked,
    wasCut: () => cut,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

interface Held {
  readonly command: string;
  readonly database: string;
}

/** The name of the command in a message, and its database; those of a first greeting for what is no message of today. */
function commandOf(message: Buffer): Held {
  if (message.readInt32LE(12) !== MESSAGE) return { command: 'hello', database: 'admin' };
  const start = HEADER_BYTES + 5;
  const size = message.readInt32LE(start);
  const body = BSON.deserialize(message.subarray(start, start + size));
  return { command: Object.keys(body)[0] ?? '', database: String(body.$db) };
}

/** Whole messages, each as it came. */
function readMessages(socket: Socket, take: (message: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= HEADER_BYTES && pending.length >= pending.readInt32LE(0)) {
      const message = pending.subarray(0, pending.readInt32LE(0));
      pending = pending.subarray(message.length);
      take(message);
    }
  });
}
