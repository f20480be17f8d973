import type { Db, MongoClient } from 'mongodb';
import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import type { DatabaseServer, ListedDatabase } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { withoutLogin } from './address.ts';
import { createConsumerLogins } from './consumers.ts';
import { dropGates, exclusively } from './gate.ts';
import { isCode } from './mongodb-error.ts';
import { OWN_DATABASES, swapsOf } from './own-databases.ts';
import { dropUser, ensureUser, isUserOf, listOurUsers, notOurs } from './own-users.ts';
import { dropRoles, endSessions, ensureServiceRole, hasServiceRole, SERVICE_ROLE } from './service-role.ts';
import { withAdmin } from './with-admin.ts';

const UNAUTHORIZED = 13;
const ALWAYS = async (): Promise<boolean> => true;

export interface MongodbServerOptions {
  /** Of a user with the role `root`. */
  readonly adminUri: string;
  /** How long a call that was killed keeps others from the users of other services; see `gate.ts`. */
  readonly patienceMs?: number;
}

/**
 * Databases on a MongoDB server. A database has a role of its own, `fairlead_service`, which reads and writes it and
 * nothing else; its users are made in it, so that they log in there, and have that role alone. A database is there once
 * somebody writes to it: until then its role says that it is the platform's.
 */
export function createMongodbServer({ adminUri, patienceMs }: MongodbServerOptions): DatabaseServer {
  return {
    engine: 'mongodb',
    consumers: createConsumerLogins({ asAdmin: (signal, work) => withAdmin(adminUri, signal, work), patienceMs }),
    async ensure(database, login, signal) {
      requireUser(database, login.user, databaseUsers(database).includes(login.user));
      await requirePasswords(adminUri, signal);
      return withAdmin(adminUri, signal, async (client) => {
        const db = client.db(database);
        await requireOurs(db);
        await ensureServiceRole(db);
        await ensureUser(db, login, [SERVICE_ROLE]);
        return [];
      });
    },
    async withdraw(database, user, signal) {
      requireUser(database, user, isUserOf(database, user));
      await withAdmin(adminUri, signal, async (client) => {
        if (!(await dropUser(client.db(database), user))) return;
        await endSessions(client, database, [user]);
      });
    },
    drop: (database, signal, isMeant = ALWAYS) =>
      withAdmin(adminUri, signal, async (client) => {
        const db = client.db(database);
        if (!(await hasServiceRole(db))) return await dropNothing(db, isMeant);
        await exclusively(db, { signal, patienceMs }, async () => {
          if (await isMeant()) await dropDatabase(client, db, isMeant);
        });
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

/** Users first and the roles last: a call that is killed in between leaves a database that is the platform's still. */
async function dropDatabase(client: MongoClient, db: Db, isMeant: () => Promise<boolean>): Promise<void> {
  const { databaseName: database } = db;
  const users = [...new Set([...databaseUsers(database), ...(await listOurUsers(db))])];
  for (const user of users) {
    if (await dropUser(db, user)) await endSessions(client, database, [user]);
  }
  // By a worker that was paused the name is another service's by now, whose users come back.
  if (!(await isMeant())) return;
  // What restores have kept of it goes with it.
  for (const { _id: kept, scratch } of await swapsOf(client).find({ live: database }).toArray()) {
    for (const made of [kept, scratch]) if (made.startsWith('fairlead_')) await client.db(made).dropDatabase();
    await swapsOf(client).deleteOne({ _id: kept });
  }
  await db.dropDatabase();
  await dropRoles(db);
}

/** Of a database that is not the platform's, or not any more. @throws CONFLICT for one that holds something */
async function dropNothing(db: Db, isMeant: () => Promise<boolean>): Promise<void> {
  if (!(await isMeant())) return;
  await requireOurs(db);
  await dropGates(db);
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

function requireUser(database: string, user: string, isUser: boolean): void {
  if (!isUser) throw new RangeError(`${user} is no user of ${database}`);
}
