import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { createFirstUser } from './create-first-user.ts';
import { MONGO_HOST, mongoAddress, mongoUri } from './mongo-uri.ts';

export interface MongodOptions {
  readonly port: number;
  readonly password: string;
  readonly replicaSet: string;
}

const PRIMARY_WITHIN_MS = 30_000;

/**
 * Makes a `mongod` that asks for passwords ready: a replica set of one, with the one user. A data folder that has no users
 * yet, since it is new or of a version without passwords, gets the user: until there is one, and no longer, a `mongod`
 * lets connections of its own machine do just that. Idempotent: a start that was killed is finished by the next one, at
 * whatever port.
 * @throws FairleadError UNAVAILABLE when the folder's user has another password
 */
export async function prepareMongod(options: MongodOptions): Promise<void> {
  const members = [{ _id: 0, host: `${MONGO_HOST}:${options.port}` }];
  if (!(await hasUser(options))) {
    const { password, replicaSet } = options;
    const withoutUser = `${mongoAddress(options.port)}/?directConnection=true`;
    await withAdmin(withoutUser, (admin) => createFirstUser(admin, { password, replicaSet, members }));
  }
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

async function waitUntilPrimary(admin: Db): Promise<void> {
  const deadline = performance.now() + PRIMARY_WITHIN_MS;
  while (performance.now() < deadline) {
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
