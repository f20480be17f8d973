import { type Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { FairleadError } from '../../domain/errors.ts';

/** Comment of the roles that the platform made: it changes no others. */
export const OURS = 'fairlead: made for a service';

/** Whether a role is there. @throws CONFLICT for one that the platform did not make */
export async function requireOurs(client: Client, role: string): Promise<boolean> {
  const isMade = await isOurs(client, role);
  if (isMade === false) throw notOurs(role);
  return isMade === true;
}

/** Whether the platform made a role; null where there is none. */
export async function isOurs(client: Client, role: string): Promise<boolean | null> {
  const text = "SELECT shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = $1";
  const { rows } = await client.query<{ comment: string | null }>(text, [role]);
  return rows[0] === undefined ? null : rows[0].comment === OURS;
}

/** Makes a role with which nobody connects, unless it is there. Within a transaction: a role without our comment is never ours. */
export async function ensureRole(client: Client, role: string): Promise<void> {
  if (await requireOurs(client, role)) return;
  await client.query(`CREATE ROLE ${name(role)} NOLOGIN`);
  await client.query(`COMMENT ON ROLE ${name(role)} IS ${literal(OURS)}`);
}

/** Does all of it, or nothing. */
export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

export function notOurs(what: string): FairleadError {
  const remedy = 'rename it, or name another server in DB_POSTGRES_ADMIN_URI';
  return new FairleadError(
    'CONFLICT',
    `The PostgreSQL server has a database or role ${what} that the platform did not make: ${remedy}.`,
  );
}
