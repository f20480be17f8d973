import type { Db, Document } from 'mongodb';
import { isConsumerUser } from '../../domain/databases/consumer.ts';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import type { DatabaseLogin } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isCode } from './mongodb-error.ts';

/** In the `customData` of users that the platform made: it changes no others. */
const OURS = { madeBy: 'fairlead' };
const NO_USER = 11;
const USER_IS_THERE = [51_003, 11_000];

/** Has the server let a user in, with these roles of its database. @throws CONFLICT for one that the platform did not make */
export async function ensureUser(db: Db, { user, password }: DatabaseLogin, roles: readonly string[]): Promise<void> {
  const fields = {
    pwd: password,
    roles: roles.map((role) => ({ role, db: db.databaseName })),
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

/** Makes a user whose name no other one has, with roles of any database. */
export async function createOwnUser(
  db: Db,
  { user, password }: DatabaseLogin,
  roles: readonly { readonly role: string; readonly db: string }[],
): Promise<void> {
  await db.command({ createUser: user, pwd: password, roles, mechanisms: ['SCRAM-SHA-256'], customData: OURS });
}

/** @returns false when there was none. @throws CONFLICT for one that the platform did not make */
export async function dropUser(db: Db, user: string): Promise<boolean> {
  if (!(await isOurUser(db, user))) return false;
  try {
    await db.command({ dropUser: user });
    return true;
  } catch (error) {
    if (isCode(error, NO_USER)) return false;
    throw error;
  }
}

/** Users of a database that the platform made: those of its service, and those of other services. */
export async function listOurUsers(db: Db): Promise<readonly string[]> {
  const { users } = await db.command({ usersInfo: 1 });
  return (users as readonly Document[])
    .filter((found) => isOurs(found) && isUserOf(db.databaseName, found.user))
    .map(({ user }) => String(user));
}

/** Whether the platform made a user, by what the server tells of it. */
export function isOurs({ customData }: Document): boolean {
  return customData?.madeBy === OURS.madeBy;
}

/** Whether a user is there. @throws CONFLICT for one that the platform did not make */
export async function isOurUser(db: Db, user: string): Promise<boolean> {
  const { users } = await db.command({ usersInfo: { user, db: db.databaseName } });
  const [found] = users as readonly Document[];
  if (found === undefined) return false;
  if (!isOurs(found)) throw notOurs(`user ${user}`);
  return true;
}

/** Whether a user is one of a database by its name: its service's, or another one's. */
export function isUserOf(database: string, user: string): boolean {
  return databaseUsers(database).includes(user) || isConsumerUser(database, user);
}

export function notOurs(what: string): FairleadError {
  const remedy = 'rename it, or name another server in DB_MONGODB_ADMIN_URI';
  return new FairleadError('CONFLICT', `The MongoDB server has a ${what} that the platform did not make: ${remedy}.`);
}
