import { connect, createServer, type Socket } from 'node:net';
import { MongoClient, MongoServerError } from 'mongodb';
import { directly } from './mongo-cutter.ts';
import { commandOf, listsOf, readMessages } from './mongo-messages.ts';
import { createScriptedLogin } from './scripted-login.ts';
import { answerTo } from './scripted-mongo.ts';
import { createScriptedUsers, type ScriptedUsers } from './scripted-users.ts';

export interface MongoUsers extends Omit<ScriptedUsers, 'answer'> {
  /** The address of the server with these users. */
  readonly uri: string;
  stop(): Promise<void>;
}

type Command = Readonly<Record<string, unknown>>;

/** What is answered here; anything else is the server's. */
const OF_USERS = /^((users|roles)Info|(create|update|drop)(User|Role)|killAllSessions|killOp)$/;
const UNAUTHORIZED = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'Unauthorized of the script' };
const GREETINGS = new Set(['hello', 'ismaster', 'isMaster', 'buildInfo', 'buildinfo', 'ping']);

/**
 * Stands before the stand-in, and has the users and roles which that does not: their commands are answered as `scripted-users.ts`
 * does it. Who logs in as one of them reaches the databases of its roles as long as it is there, as MongoDB looks at each command
 * who has sent it; what is under way for it is what `$currentOp` tells.
 */
export async function startMongoUsers(serverUri: string): Promise<MongoUsers> {
  const [, login = '', host = '', port = '', rest = ''] =
    /^mongodb:\/\/([^@]*@)?([^:/]+):(\d+)\/?(.*)$/.exec(serverUri) ?? [];
  const { answer, ...known } = createScriptedUsers();
  const passwords = new Map<string, string>();
  const admin = new MongoClient(serverUri);
  const underWay = new Set<string>();
  const sockets = new Set<Socket>();
  /** What the server says to a user of the script. */
  const answerUser = async (user: string, command: Command): Promise<Command> => {
    const { $db, lsid: _, $clusterTime: __, $readPreference: ___, ...sent } = command;
    const roles = (known.users.get(user)?.roles ?? []) as readonly { readonly db: string }[];
    const isGreeting = GREETINGS.has(Object.keys(command)[0] ?? '') && known.users.has(user);
    if (!isGreeting && !roles.some(({ db }) => db === $db)) return UNAUTHORIZED;
    underWay.add(user);
    try {
      // As the server's numbers are: an id of a cursor is a long one.
      return await admin.db(String($db)).command(sent, { promoteValues: false });
    } catch (error) {
      if (!(error instanceof MongoServerError)) throw error;
      return { ok: 0, code: Number(error.code), codeName: error.codeName, errmsg: error.message };
    } finally {
      underWay.delete(user);
    }
  };
  const tellOps = (): Command => {
    const firstBatch = [...underWay].map((_, opid) => ({ opid }));
    return { ok: 1, cursor: { id: 0n, ns: 'admin.$cmd.aggregate', firstBatch } };
  };
  const listener = createServer((client) => {
    const server = connect(Number(port), host);
    const own = createScriptedLogin((user) => (known.users.has(user) ? passwords.get(user) : undefined));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    readMessages(client, (message) => {
      const command = commandOf(message);
      const [name = ''] = Object.keys(command);
      const loggedIn = own.answer(command);
      const user = own.user();
      if (loggedIn !== null) client.write(answerTo(message, () => loggedIn));
      else if (user !== null) {
        void answerUser(user, { ...command, ...listsOf(message) }).then((told) =>
          client.write(answerTo(message, () => told)),
        );
      } else if (OF_USERS.test(name)) {
        if (name === 'createUser') passwords.set(`${command.$db}.${command.createUser}`, String(command.pwd));
        client.write(answerTo(message, answer));
      } else if (JSON.stringify(command.pipeline ?? '').includes('$currentOp'))
        client.write(answerTo(message, tellOps));
      else server.write(message);
    });
    server.pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const own = (listener.address() as { port: number }).port;
  return {
    ...known,
    uri: `mongodb://${login}127.0.0.1:${own}/${directly(rest)}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await admin.close();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
