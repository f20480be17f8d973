import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { MONGO_HOST, MONGO_USER, mongoAddress, mongoUri } from './mongo-uri.ts';

export interface MongodOptions {
  readonly port: number;
  readonly password: string;
  readonly replicaSet: string;
}

/** As MongoDB numbers its errors. */
const CODES = { unauthorized: 13, alreadyInitialized: 23 } as const;

const PRIMARY_WITHIN_MS = 30_000;

/**
 * Makes a `mongod` that asks for passwords ready: a replica set of one, with the one user. A data folder that has no users
 * yet, since it is new or of a version without passwords, gets the user: until there is one, and no longer, a `mongod`
 * lets connections of its own machine do just that. Idempotent.
 * @throws FairleadError UNAVAILABLE when the folder's user has another password
 */
export async function prepareMongod(options: MongodOptions): Promise<void> {
  const members = [{ _id: 0, host: `${MONGO_HOST}:${options.port}` }];
  if (!(await hasUser(options))) await createUser(options, members);
  await withAdmin(mongoUri(options.port, options.password), async (admin) => {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    // Another port than last time: the member must be told its address.
    if (config.members[0]?.host !== members[0]?.host) {
      await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
    }
    await waitUntilPrimary(admin);
  });
}

async function hasUser({ port, password }: MongodOptions): Promise<boolean> {
  try {
    await withAdmin(mongoUri(port, password), (admin) => admin.command({ ping: 1 }));
    return true;
  } catch (error) {
    // A server that is no replica set yet may say something else than that it does not know the user.
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}

async function createUser(
  { port, password, replicaSet }: MongodOptions,
  members: readonly { readonly _id: number; readonly host: string }[],
): Promise<void> {
  try {
    await withAdmin(`${mongoAddress(port)}/?directConnection=true`, async (admin) => {
      await admin.command({ replSetInitiate: { _id: replicaSet, members } }).catch((error: unknown) => {
        if (!hasCode(error, CODES.alreadyInitialized)) throw error;
      });
      await waitUntilPrimary(admin);
      await admin.command({ createUser: MONGO_USER, pwd: password, roles: ['root'], mechanisms: ['SCRAM-SHA-256'] });
    });
  } catch (cause) {
    if (!hasCode(cause, CODES.unauthorized)) throw cause;
    const text =
      'the MongoDB of this data folder has another password: restore the secrets.json that belongs to the folder';
    throw new FairleadError('UNAVAILABLE', text, { cause });
  }
}

async function waitUntilPrimary(admin: Db): Promise<void> {
  const deadline = Date.now() + PRIMARY_WITHIN_MS;
  while (Date.now() < deadline) {
    if ((await admin.command({ hello: 1 })).isWritablePrimary) return;
    await delay(50);
  }
  throw new Error(`MongoDB did not become primary within ${PRIMARY_WITHIN_MS / 1000} s`);
}

async function withAdmin<T>(uri: string, work: (admin: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri);
  try {
    return await work(client.db('admin'));
  } finally {
    await client.close();
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}
