import { connect, createServer, type Socket } from 'node:net';
import { directly } from './mongo-cutter.ts';
import { commandOf, readMessages } from './mongo-messages.ts';
import { answerTo } from './scripted-mongo.ts';
import { createScriptedUsers, type ScriptedUsers } from './scripted-users.ts';

export interface MongoUsers extends Omit<ScriptedUsers, 'answer'> {
  /** The address of the server with these users. */
  readonly uri: string;
  stop(): Promise<void>;
}

/** What is answered here; anything else is the server's. */
const OF_USERS = /^((users|roles)Info|(create|update|drop)(User|Role)|killAllSessions)$/;

/**
 * Stands before the stand-in, and has the users and roles which that does not: their commands are answered as `scripted-users.ts`
 * does it. Nobody logs in as one of them, so that what a role lets its users do is what a test reads in it.
 */
export async function startMongoUsers(serverUri: string): Promise<MongoUsers> {
  const [, login = '', host = '', port = '', rest = ''] =
    /^mongodb:\/\/([^@]*@)?([^:/]+):(\d+)\/?(.*)$/.exec(serverUri) ?? [];
  const { answer, ...known } = createScriptedUsers();
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(port), host);
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
      if (OF_USERS.test(Object.keys(commandOf(message))[0] ?? '')) client.write(answerTo(message, answer));
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
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
