import { connect, createServer, type Socket } from 'node:net';
import { commandOf, readMessages } from './mongo-messages.ts';

export interface MongoCutter {
  /** The address of the server by way of the cutter. */
  readonly uri: string;
  /** From the n-th command on nothing comes through, before the server gets it or when it has answered; null: all does. */
  cutAt(command: number | null, when: 'before' | 'after', onCut?: () => void): void;
  /** Keeps the n-th such command from the server, as a worker that is paused does, until it is let go on. */
  hold(command: string, database: string, nth?: number): HeldCommand;
  /** Ends connections of clients of these names once so many bytes have passed, either way; from then on none of them gets in. */
  cutClients(names: readonly string[], afterBytes: number): void;
  /** Names of the clients that are connected, as they say; '' for one that says none. */
  readonly clients: () => readonly string[];
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
  let doomed = { names: [] as readonly string[], left: 0 };
  const sockets = new Set<Socket>();
  const clients = new Map<Socket, string>();
  const endAll = (): void => {
    cut = true;
    for (const socket of sockets) socket.destroy();
    tell();
  };
  /** Until when a command is kept from the server; null for one that is not. */
  const heldHere = (command: string, database: string): Promise<void> | null => {
    if (held === null || held.command !== command || held.database !== database) return null;
    held.left -= 1;
    if (held.left > 0) return null;
    const { come, gone } = held;
    held = null;
    come();
    return gone;
  };
  const listener = createServer((client) => {
    if (cut) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), host);
    let endsWithAnswer = false;
    const end = (): void => {
      clients.delete(client);
      client.destroy();
      server.destroy();
    };
    clients.set(client, '');
    /** Whether its connection ends here. */
    const isDoomed = (bytes: number): boolean => {
      if (!doomed.names.includes(clients.get(client) ?? '')) return false;
      doomed.left -= bytes;
      return doomed.left < 0;
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    readMessages(client, (message) => {
      if (clients.get(client) === '') clients.set(client, clientOf(message));
      if (cut || isDoomed(message.length)) return end();
      const { command, database } = heldIn(message);
      const gone = heldHere(command, database);
      if (gone !== null) {
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
      else if (isDoomed(chunk.length)) end();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const own = (listener.address() as { port: number }).port;
  return {
    uri: `mongodb://${login}127.0.0.1:${own}/${directly(rest)}`,
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
    cutClients: (names, afterBytes) => {
      doomed = { names, left: afterBytes };
    },
    clients: () => [...clients.values()],
    asked: () => asked,
    wasCut: () => cut,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** A member of a replica set tells clients where all of them are, and they would go by no cutter. */
export function directly(databaseAndOptions: string): string {
  const [database = '', query] = databaseAndOptions.split('?');
  const options = new URLSearchParams(query);
  options.set('directConnection', 'true');
  return `${database}?${options}`;
}

interface Held {
  readonly command: string;
  readonly database: string;
}

/** The name of the command in a message, and its database; those of a first greeting for what is no message of today. */
function heldIn(message: Buffer): Held {
  const command = commandOf(message);
  const [name = 'hello'] = Object.keys(command);
  return { command: name, database: String(command.$db ?? 'admin') };
}

/** What a client calls itself in its greeting: `client.application.name`. */
function clientOf(message: Buffer): string {
  const at = message.indexOf('\x03application\0');
  const name = message.indexOf('\x02name\0', Math.max(at, 0));
  if (at < 0 || name < 0) return '';
  const text = name + '\x02name\0'.length + 4;
  return message.toString('utf8', text, message.indexOf(0, text));
}
