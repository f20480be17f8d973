import {
  type Collection,
  type Db,
  type Filter,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
  type UpdateFilter,
} from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { serviceRow } from '../../domain/services.ts';
import { followPool, type PoolSizes } from './pool-sizes.ts';

/** A connected database with what a process needs to watch and end the connection. */
export interface MongoConnection {
  readonly db: Db;
  /** Resolves when the server answers. @throws UNAVAILABLE */
  ping(): Promise<void>;
  /** How its connections are now. */
  pool(): PoolSizes;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 50;
const DEFAULT_DATABASE = serviceRow('builder').database;

/**
 * Connects with write concern `majority`, reads of the primary, and bounded waits: what was acknowledged survives the loss of one member,
 * and a server that is away is reported within seconds. `database` goes before the one that the address names.
 * @throws UNAVAILABLE (retryable) when no server answers; VALIDATION_FAILED for an address that is none.
 */
export async function connectMongo(uri: string, appName: string, database?: string): Promise<MongoConnection> {
  const client = makeClient(uri, appName);
  const pool = followPool(client, MOST_CONNECTIONS);
  const db = client.db(database ?? databaseName(uri));
  const ping = async (): Promise<void> => {
    await mongoCall(() => db.command({ ping: 1 }, { timeoutMS: 2_000 }));
  };
  try {
    await mongoCall(() => client.connect());
  } catch (error) {
    await client.close();
    throw error;
  }
  return { db, ping, pool, close: () => client.close() };
}

function makeClient(uri: string, appName: string): MongoClient {
  try {
    return new MongoClient(uri, {
      appName,
      writeConcern: { w: 'majority' },
      retryWrites: true,
      // Whatever the address says: a member that lags behind does not know of the latest revocation, nor of the latest grant.
      readPreference: 'primary',
      ignoreUndefined: true,
      maxPoolSize: MOST_CONNECTIONS,
      serverSelectionTimeoutMS: 5_000,
      connectTimeoutMS: 5_000,
      socketTimeoutMS: 30_000,
    });
  } catch (cause) {
    // The address may carry a password: neither it nor the driver's message is repeated.
    throw new FairleadError('VALIDATION_FAILED', 'MONGODB_URI is not a MongoDB address', { cause });
  }
}

/** The path of the address names the database, as in `mongodb://host/builder`. */
function databaseName(uri: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(uri)?.[1];
  return path === undefined ? DEFAULT_DATABASE : decodeURIComponent(path);
}

const DUPLICATE_KEY = 11_000;

/**
 * By which a server says that it is not, or no longer, the one that keeps a write, or that a majority did not answer in
 * time: MaxTimeMSExpired, WriteConcernFailed, ShutdownInProgress, CannotSatisfyWriteConcern, PrimarySteppedDown and the
 * like (error_codes.yml of MongoDB).
 */
const FAILED_OVER: ReadonlySet<unknown> = new Set([50, 64, 91, 100, 189, 10_107, 11_600, 11_602, 13_435, 13_436]);

const NOT_REACHED = /not connected|topology is closed|pool (was )?(cleared|closed)|timed out/i;

/** Runs one database call; a server that cannot be reached becomes UNAVAILABLE (retryable), other errors pass. */
export async function mongoCall<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (isUnreachable(error)) {
      throw new FairleadError('UNAVAILABLE', 'The database cannot be reached; try again shortly', {
        cause: error,
        retryable: true,
      });
    }
    throw error;
  }
}

function isUnreachable(error: unknown): boolean {
  // Of a connection that is cut under several writes, the driver makes an error of its own kind around the network's.
  if (error instanceof MongoBulkWriteError && isUnreachable(error.errorResponse)) return true;
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (!(error instanceof MongoError)) return false;
  return FAILED_OVER.has(error.code) || error.hasErrorLabel('RetryableWriteError') || NOT_REACHED.test(error.message);
}

/**
 * True for a write that a unique index refused. Of several in one command, it is true when nothing else went wrong with
 * any: their error bears the code of the first refusal alone, also where others were refused for want of space.
 */
export function isDuplicateKey(error: unknown): boolean {
  if (!(error instanceof MongoError) || error.code !== DUPLICATE_KEY) return false;
  if (!(error instanceof MongoBulkWriteError)) return true;
  return [error.writeErrors].flat().every(({ code }) => code === DUPLICATE_KEY);
}

/** Inserts a document unless one of that id is there already: a second attempt changes nothing. @throws UNAVAILABLE */
export async function insertOnce<T extends { readonly _id: string }>(
  collection: Collection<T>,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    const filter = { _id: id } as Filter<T>;
    const update = { $setOnInsert: fields } as UpdateFilter<T>;
    await mongoCall(() => collection.updateOne(filter, update, { upsert: true }));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
