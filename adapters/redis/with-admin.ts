import { redisError } from './redis-error.ts';

/** How long a server may say nothing while it is asked for something. */
export const ANSWER_MS = 60_000;
const CONNECT_MS = 10_000;

/** An administrator's login: `redis://`, `rediss://`, or `redis+unix://user:password@localhost/path/of/the.sock`. */
export interface RedisAdmin {
  readonly adminUrl: string;
  readonly answerMs: number;
}

export type Client = Awaited<ReturnType<typeof createAdmin>>;

/** Not connected yet. */
async function createAdmin({ adminUrl, answerMs }: RedisAdmin) {
  // The client takes 30 MB: a worker without Redis goes without it.
  const { createClient } = await import('@redis/client');
  const url = new URL(adminUrl);
  const shared = { connectTimeout: CONNECT_MS, socketTimeout: answerMs, reconnectStrategy: false } as const;
  if (url.protocol === 'redis+unix:') {
    return createClient({
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      name: 'fairlead',
      socket: { ...shared, path: decodeURIComponent(url.pathname) },
    });
  }
  url.pathname = '/0';
  return createClient({ url: url.href, name: 'fairlead', socket: shared });
}

/** Runs commands on a connection of its own, which is cut when the signal aborts. @throws as `DatabaseServer` */
export async function withAdmin<T>(
  admin: RedisAdmin,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { ErrorReply } = await import('@redis/client');
  const client = await createAdmin(admin);
  let lost: unknown = null;
  // Without a listener the end of a connection would end the process.
  client.on('error', (error) => {
    lost ??= error;
  });
  const cut = (): void => client.destroy();
  signal.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    const first = error instanceof ErrorReply ? error : (lost ?? error);
    throw redisError(first, first instanceof ErrorReply);
  } finally {
    signal.removeEventListener('abort', cut);
    if (client.isOpen) client.destroy();
  }
}
