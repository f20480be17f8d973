import type { Db, Document, MongoClient } from 'mongodb';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import { isCode } from './mongodb-error.ts';

/**
 * What the users of a database may do, as a role in that database. Without the role no user of it can do anything, so that
 * it is closed and opened for all of them by one write.
 */
export const SERVICE_ROLE = 'fairlead_service';

const NO_COMMAND = 59;
const NO_ROLE = 31;
const IS_THERE = [51_002, 11_000];

/** Its documents, collections and indexes; validation rules as well, which migrations change. Nothing of other databases. */
function privilegesOf(database: string) {
  return {
    roles: [{ role: 'readWrite', db: database }],
    privileges: [{ resource: { db: database, collection: '' }, actions: ['collMod'] }],
  };
}

/** Whether a database has the role: then the platform made it. */
export async function hasServiceRole(db: Db): Promise<boolean> {
  const { roles } = await db.command({ rolesInfo: { role: SERVICE_ROLE, db: db.databaseName } });
  return (roles as readonly Document[]).length > 0;
}

/** Makes the role when it is not there. One that is there stays as it is: what a restore has closed stays closed. */
export async function ensureServiceRole(db: Db): Promise<void> {
  if (await hasServiceRole(db)) return;
  try {
    await db.command({ createRole: SERVICE_ROLE, ...privilegesOf(db.databaseName) });
  } catch (error) {
    // Another caller made it.
    if (!isCode(error, ...IS_THERE)) throw error;
  }
}

/** Takes a role away when it is there. */
export async function dropServiceRole(db: Db): Promise<void> {
  await db.command({ dropRole: SERVICE_ROLE }).catch(unless(NO_ROLE));
}

/** From now on no user of a database reads or writes it. A database of nobody, and a server without users, has none. */
export async function closeDatabase(client: MongoClient, database: string): Promise<void> {
  const db = client.db(database);
  const closed = await db
    .command({ updateRole: SERVICE_ROLE, roles: [], privileges: [] })
    .then(() => true, unless(NO_ROLE, NO_COMMAND));
  if (closed === true) await endSessions(client, database, databaseUsers(database));
}

/** Lets the users of a database read and write it again. */
export async function openDatabase(client: MongoClient, database: string): Promise<void> {
  const db = client.db(database);
  await db.command({ updateRole: SERVICE_ROLE, ...privilegesOf(database) }).catch(unless(NO_ROLE, NO_COMMAND));
}

/** Ends what users of a database have under way: cursors, and statements that run. */
export async function endSessions(client: MongoClient, database: string, users: readonly string[]): Promise<void> {
  await client.db('admin').command({ killAllSessions: users.map((user) => ({ user, db: database })) });
}

function unless(...codes: readonly number[]): (error: unknown) => void {
  return (error) => {
    if (!isCode(error, ...codes)) throw error;
  };
}
