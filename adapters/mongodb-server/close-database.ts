import type { MongoClient } from 'mongodb';
import { exclusively } from './gate.ts';
import { listOurUsers } from './own-users.ts';
import { bodyOf, endSessions, NOTHING, type RoleBody, rolesOf } from './service-role.ts';

export interface ClosingOptions {
  readonly signal: AbortSignal;
  /** Asked in its turn, just before anything is changed: where it says no, nothing is. */
  readonly isMeant: () => Promise<boolean>;
  /** How long a call that says nothing keeps others out; see {@link exclusively}. */
  readonly patienceMs?: number | undefined;
}

/**
 * From now on no user of a database reads or writes it, and what they have under way ends. A database of nobody, and a server
 * without users, has none. One call at a time closes or opens a database: one that was paused, and goes on when its turn is over,
 * changes nothing.
 * @throws CONFLICT (retryable) when the turn was over, and what `isMeant` throws
 */
export async function closeDatabase(client: MongoClient, database: string, options: ClosingOptions): Promise<void> {
  if (!(await setRoles(client, database, options, () => NOTHING))) return;
  await endSessions(client, database, await listOurUsers(client.db(database)));
}

/** Lets the users of a database read and write it again. @throws as {@link closeDatabase} */
export async function openDatabase(client: MongoClient, database: string, options: ClosingOptions): Promise<void> {
  await setRoles(client, database, options, (role) => bodyOf(role, database));
}

/** @returns whether anything was changed */
async function setRoles(
  client: MongoClient,
  database: string,
  { signal, isMeant, patienceMs }: ClosingOptions,
  bodyFor: (role: string) => RoleBody,
): Promise<boolean> {
  const db = client.db(database);
  if ((await rolesOf(db)).length === 0) return false;
  return await exclusively(db, { signal, patienceMs }, async (gate) => {
    if (!(await isMeant())) return false;
    for (const role of await rolesOf(db)) {
      const { roles, privileges } = bodyFor(role);
      // Refused where the gate is gone; it leaves the role when it goes.
      await db.command({ updateRole: role, roles: [...roles, { role: gate, db: database }], privileges });
    }
    return true;
  });
}
