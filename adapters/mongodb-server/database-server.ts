import type { Db, Document, MongoClient } from 'mongodb';
import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import type { DatabaseLogin, DatabaseServer, ListedDatabase } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { withoutLogin } from './address.ts';
import { isCode } from './mongodb-error.ts';
import { OWN_DATABASES, swapsOf } from './own-databases.ts';
import { dropServiceRole, endSessions, ensureServiceRole, hasServiceRole, SERVICE_ROLE } from './service-role.ts';
import { withAdmin } from './with-admin.ts';

/** In the `customData` of users that the platform made: it changes no others. */
const OURS = { madeBy: 'fairlead' };
const UNAUTHORIZED = 13;
const NO_USER = 11;
const ALWAYS = async (): Promise<boolean> => true;
const USER_IS_THERE = [51_003, 11_000];

/**
 * Databases on a MongoDB server. A database has a role of its own, `fairlead_service`, which reads and writes it and
 * nothing else; its users are made in it, so that they log in there, and have that role alone. A database is there once
 * somebody writes to it: until then its role says that it is the platform's.
 * @param adminUri of a user with the role `root`
 */
export function createMongodbServer({ adminUri }: { readonly adminUri: string }): DatabaseServer {
  return {
    engine: 'mongodb',
    async ensure(database, login, signal) {
      requireUser(database, login.user);
      await requirePasswords(adminUri, signal);
      return withAdmin(adminUri, signal, async (client) => {
        const db = client.db(database);
        await requireOurs(db);
        await ensureServiceRole(db);
        await ensureUser(db, login);
        return [];
      });
    },
    async withdraw(database, user, signal) {
      requireUser(database, user);
      await withAdmin(adminUri, signal, async (client) => {
        if (!(await dropUser(client.db(database), user))) return;
        await endSessions(client, database, [user]);
      });
    },
    drop: (database, signal, isMeant = ALWAYS) =>
      withAdmin(adminUri, signal, async (client) => {
        if (await isMeant()) await dropDatabase(client, database);
      }),
    list: (signal) => withAdmin(adminUri, signal, listDatabases),
  };
}

/**
 * A server that asks nobody for a password opens every database to every service.
 * @throws UNAVAILABLE for such a server
 */
async function requirePasswords(adminUri: string, signal: AbortSignal): Promise<void> {
  const answered = await withAdmin(withoutLogin(adminUri), signal, async (client) => {
    try {
      await client.db('admin').command({ usersInfo: 1 });
      return true;
    } catch (error) {
      if (isCode(error, UNAUTHORIZED)) return false;
      throw error;
    }
  });
  if (!answered) return;
  const text = 'The MongoDB server of databases lets everybody in: start it with --auth, or name another one';
  throw new FairleadError('UNAVAILABLE', `${text} in DB_MONGODB_ADMIN_URI.`, { system: 'mongodb' });
}

async function ensureUser(db: Db, { user, password }: DatabaseLogin): Promise<void> {
  const fields = {
    pwd: password,
    roles: [{ role: SERVICE_ROLE, db: db.databaseName }],
    mechanisms: ['SCRAM-SHA-256'],
    customData: OURS,
  };
  if (!(await isOurUser(db, user))) {
    try {
      await db.command({ createUser: user, ...fields });
      return;
    } catch (error) {
      // Another caller made it, with the same password.
      if (!isCode(error, ...USER_IS_THERE)) throw error;
    }
  }
  await db.command({ updateUser: user, ...fields });
}

/** @returns false when there was none */
async function dropUser(db: Db, user: string): Promise<boolean> {
  if (!(await isOurUser(db, user))) return false;
  try {
    await db.command({ dropUser: user });
    return true;
  } catch (error) {
    if (isCode(error, NO_USER)) return false;
    throw error;
  }
}

/** Users first and the role last: a call that is killed in between leaves a database that is the platform's still. */
async function dropDatabase(client: MongoClient, database: string): Promise<void> {
  const db = client.db(database);
  await requireOurs(db);
  if (!(await hasServiceRole(db))) return;
  for (const user of databaseUsers(database)) {
    if (await dropUser(db, user)) await endSessions(client, database, [user]);
  }
  // What restores have kept of it goes with it.
  for (const { _id: kept, scratch } of await swapsOf(client).find({ live: database }).toArray()) {
    for (const made of [kept, scratch]) if (made.startsWith('fairlead_')) await client.db(made).dropDatabase();
    await swapsOf(client).deleteOne({ _id: kept });
  }
  await db.dropDatabase();
  await dropServiceRole(db);
}

async function listDatabases(client: MongoClient): Promise<ListedDatabase[]> {
  const { databases } = await client.db('admin').admin().listDatabases();
  return databases
    .filter(({ name }) => !OWN_DATABASES.includes(name))
    .map(({ name, sizeOnDisk }) => {
      return { database: name, target: parseDatabaseName(name), bytes: sizeOnDisk ?? null };
    })
    .sort((one, other) => (one.database < other.database ? -1 : 1));
}

/** @throws CONFLICT for a database that holds something and has not the platform's role */
async function requireOurs(db: Db): Promise<void> {
  if (await hasServiceRole(db)) return;
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.length > 0) throw notOurs(`database ${db.databaseName}`);
}

/** Whether a user is there. @throws CONFLICT for one that the platform did not make */
async function isOurUser(db: Db, user: string): Promise<boolean> {
  const { users } = await db.command({ usersInfo: { user, db: db.databaseName } });
  const [found] = users as readonly Document[];
  if (found === undefined) return false;
  if (found.customData?.madeBy !== OURS.madeBy) throw notOurs(`user ${user}`);
  return true;
}

function requireUser(database: string, user: string): void {
  if (!databaseUsers(database).includes(user)) throw new RangeError(`${user} is no user of ${database}`);
}

function notOurs(what: string): FairleadError {
  const remedy = 'rename it, or name another server in DB_MONGODB_ADMIN_URI';
  return new FairleadError('CONFLICT', `The MongoDB server has a ${what} that the platform did not make: ${remedy}.`);
}
