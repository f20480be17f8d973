import { MongoClient, type MongoClientOptions } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { mongodbError } from './mongodb-error.ts';

const OPTIONS: MongoClientOptions = {
  appName: 'fairlead',
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
  maxPoolSize: 4,
  connectTimeoutMS: 10_000,
};

/** How long a server is looked for, unless its address says it. */
const SELECTION_MS = 10_000;

/** Runs commands on a connection of its own, which is cut when the signal aborts. @throws as `DatabaseServer` */
export async function withAdmin<T>(
  uri: string,
  signal: AbortSignal,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = open(uri);
  const cut = (): void => void client.close(true).catch(() => undefined);
  signal.addEventListener('abort', cut, { once: true });
  try {
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw mongodbError(error);
  } finally {
    signal.removeEventListener('abort', cut);
    // What the server does to a connection that is closed anyway changes nothing.
    await client.close(true).catch(() => undefined);
  }
}

function open(uri: string): MongoClient {
  try {
    const isSaid = /[?&]serverSelectionTimeoutMS=/i.test(uri);
    return new MongoClient(uri, isSaid ? OPTIONS : { ...OPTIONS, serverSelectionTimeoutMS: SELECTION_MS });
  } catch (cause) {
    // The address holds a password: neither it nor the driver's message is repeated.
    throw new FairleadError('UNAVAILABLE', 'DB_MONGODB_ADMIN_URI is no MongoDB address: correct it', { cause });
  }
}
