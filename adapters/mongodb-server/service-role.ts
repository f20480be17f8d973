import type { Db, Document, MongoClient } from 'mongodb';
import type { DatabaseAccessKind } from '../../domain/catalog/catalog.ts';
import { isCode } from './mongodb-error.ts';

/**
 * What the users of a database may do, as roles in that database. Without a role no user of it can do anything, so that
 * it is closed and opened for all of them by a write for each role.
 */
export const SERVICE_ROLE = 'fairlead_service';

/** Roles of users of other services. */
export const CONSUMER_ROLES: Readonly<Record<DatabaseAccessKind, string>> = {
  read: 'fairlead_reader',
  write: 'fairlead_writer',
};

const NO_COMMAND = 59;
export const NO_ROLE = 31;
const IS_THERE = [51_002, 11_000];
/** Of a role that is closed. */
export const NOTHING: RoleBody = { roles: [], privileges: [] };

export interface RoleBody {
  readonly roles: readonly Document[];
  readonly privileges: readonly Document[];
}

/**
 * Nothing of other databases. Whose database it is has its documents, collections and indexes, and validation rules, which
 * migrations change. Others read it, or read and write its documents: an empty name stands for all collections but the server's own.
 */
const BODIES: Readonly<Record<string, (database: string) => RoleBody>> = {
  [SERVICE_ROLE]: (database) => ({
    roles: [{ role: 'readWrite', db: database }],
    privileges: [{ resource: { db: database, collection: '' }, actions: ['collMod'] }],
  }),
  [CONSUMER_ROLES.read]: (database) => ({ roles: [{ role: 'read', db: database }], privileges: [] }),
  [CONSUMER_ROLES.write]: (database) => ({
    roles: [{ role: 'read', db: database }],
    privileges: [{ resource: { db: database, collection: '' }, actions: ['insert', 'update', 'remove'] }],
  }),
};

/** The service's own first: whoever makes another one looks at it. */
const ROLES = Object.keys(BODIES);

/** What a role lets its users do while it is open. */
export function bodyOf(role: string, database: string): RoleBody {
  return BODIES[role]?.(database) ?? NOTHING;
}

/** Whether a database has the role: then the platform made it. */
export async function hasServiceRole(db: Db): Promise<boolean> {
  return (await serviceRole(db)) !== null;
}

async function serviceRole(db: Db): Promise<Document | null> {
  const { roles } = await db.command({ rolesInfo: { role: SERVICE_ROLE, db: db.databaseName } });
  return (roles as readonly Document[])[0] ?? null;
}

/** Makes the role when it is not there. One that is there stays as it is: what a restore has closed stays closed. */
export async function ensureServiceRole(db: Db): Promise<void> {
  if (!(await hasServiceRole(db))) await createRole(db, SERVICE_ROLE, bodyOf(SERVICE_ROLE, db.databaseName));
}

/**
 * Makes the role of users of other services, as open as the database is for its own: what a restore has closed stays closed.
 * @returns its name
 */
export async function ensureConsumerRole(db: Db, access: DatabaseAccessKind): Promise<string> {
  const role = CONSUMER_ROLES[access];
  await createRole(db, role, NOTHING);
  const isOpen = async (): Promise<boolean> => (await serviceRole(db))?.roles.length > 0;
  let wanted = await isOpen();
  for (let set: boolean | null = null; set !== wanted; wanted = await isOpen()) {
    set = wanted;
    await db.command({ updateRole: role, ...(set ? bodyOf(role, db.databaseName) : NOTHING) });
  }
  return role;
}

/** Makes a role. One of the name that is there stays as it is. */
export async function createRole(db: Db, role: string, body: RoleBody = NOTHING): Promise<void> {
  try {
    await db.command({ createRole: role, ...body });
  } catch (error) {
    if (!isCode(error, ...IS_THERE)) throw error;
  }
}

/** Takes a role away when it is there, also from whoever has it. */
export async function dropRole(db: Db, role: string): Promise<void> {
  await db.command({ dropRole: role }).catch(unless(NO_ROLE));
}

/** Takes all roles of the users of a database away, the one last by which it is the platform's. */
export async function dropRoles(db: Db): Promise<void> {
  for (const role of ROLES.toReversed()) await dropRole(db, role);
}

/** Names of the roles of a database that are there, the service's own first; none on a server that has no users. */
export async function rolesOf(db: Db): Promise<readonly string[]> {
  try {
    const { roles } = await db.command({ rolesInfo: 1 });
    const there = new Set((roles as readonly Document[]).map(({ role }) => String(role)));
    return ROLES.filter((role) => there.has(role));
  } catch (error) {
    if (isCode(error, NO_COMMAND)) return [];
    throw error;
  }
}

/** Ends what users of a database have under way: cursors, and statements that run. */
export async function endSessions(client: MongoClient, database: string, users: readonly string[]): Promise<void> {
  // Of nobody it would end those of everybody.
  if (users.length === 0) return;
  await client.db('admin').command({ killAllSessions: users.map((user) => ({ user, db: database })) });
}

function unless(...codes: readonly number[]): (error: unknown) => void {
  return (error) => {
    if (!isCode(error, ...codes)) throw error;
  };
}
