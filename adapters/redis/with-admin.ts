import type { RedisClientType } from '@redis/client';
import { redisError } from './redis-error.ts';

export type Client = RedisClientType;

const CONNECT_MS = 10_000;
/** How long a server may say nothing while it is asked for something. */
export const ANSWER_MS = 60_000;

/** Runs commands on a connection of its own, which is cut when the signal aborts. @throws as `DatabaseServer` */
export async function withAdmin<T>(
  { adminUrl, answerMs }: { readonly adminUrl: string; readonly answerMs: number },
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // The client takes 30 MB: a worker without Redis goes without it.
  const { createClient, ErrorReply } = await import('@redis/client');
  const url = new URL(adminUrl);
  url.pathname = '/0';
  const client: Client = createClient({
    url: url.href,
    name: 'fairlead',
    socket: { connectTimeout: CONNECT_MS, socketTimeout: answerMs, reconnectStrategy: false },
  }) as unknown as Client;
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
