import { type Client, DatabaseError, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { keepMemberships } from './memberships.ts';
import { inTransaction, OURS } from './own-roles.ts';

/** Something depends on what is dropped, or somebody is about to name it. */
const IN_USE = ['2BP01', '55P03'];
/** Whoever names a role in a transaction of its own that does not end keeps its locks: it is not waited for longer. */
const LOCK_MS = { one: 2_000, left: 100 } as const;
/** What the names of roles begin with that could not be dropped: nobody logs in with them, and they are in no group. */
const LEFT = 'fairlead-left-';
/** Of one call. */
const MOST_LEFT = 50;
const MOST_PLACES = 20;

/** Runs statements of the administrator in a database of the server. */
export type Within = (database: string, work: (client: Client) => Promise<void>) => Promise<void>;

/**
 * Takes a role away. Owners of other databases may name it there, in a `GRANT` or a policy, and PostgreSQL drops no role
 * that is named: so it is taken out of these first. Where its owner keeps the administrator from that, or the role owns
 * something there, the role is renamed, with no power left, and dropped later: nobody else keeps a name or a login.
 * Idempotent.
 */
export async function removeRole(client: Client, within: Within, role: string): Promise<void> {
  const { rows } = await client.query<{ oid: number }>('SELECT oid FROM pg_roles WHERE rolname = $1', [role]);
  const [found] = rows;
  if (found === undefined || (await isDropped(client, role, LOCK_MS.one))) return;
  await client.query(`ALTER ROLE ${name(role)} NOLOGIN PASSWORD NULL`);
  await client.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = $1', [role]);
  for (const { database, owns } of await placesOf(client, found.oid)) {
    // What it made there is the database's to keep.
    if (owns) continue;
    const forget = (inside: Client) => waitingAtMost(inside, LOCK_MS.one, `DROP OWNED BY ${name(role)}`);
    // What could not be taken away keeps the role from being dropped, and it is renamed.
    await (database === null ? forget(client) : within(database, forget).catch(() => undefined));
  }
  if (!(await isDropped(client, role, LOCK_MS.one))) await setAside(client, role, found.oid);
}

/** Drops roles that were left before, where nothing names them any more. */
export async function dropLeftRoles(client: Client): Promise<void> {
  const text = `SELECT rolname FROM pg_roles WHERE starts_with(rolname, $1)
    AND shobj_description(oid, 'pg_authid') = $2 ORDER BY oid LIMIT ${MOST_LEFT}`;
  const { rows } = await client.query<{ rolname: string }>(text, [LEFT, OURS]);
  for (const { rolname } of rows) await isDropped(client, rolname, LOCK_MS.left);
}

/** False where something depends on it. */
async function isDropped(client: Client, role: string, lockMs: number): Promise<boolean> {
  try {
    await waitingAtMost(client, lockMs, `DROP ROLE IF EXISTS ${name(role)}`);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && IN_USE.includes(error.code ?? '')) return false;
    throw error;
  }
}

async function waitingAtMost(client: Client, lockMs: number, text: string): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
    await client.query(text);
  });
}

/** Databases in which a role is named, null for what all share; and whether it owns anything there. */
async function placesOf(client: Client, oid: number) {
  const text = `SELECT datname AS database, bool_or(deptype = 'o') AS owns
    FROM pg_shdepend LEFT JOIN pg_database ON pg_database.oid = dbid
    WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1 GROUP BY datname ORDER BY datname LIMIT ${MOST_PLACES}`;
  return (await client.query<{ database: string | null; owns: boolean }>(text, [oid])).rows;
}

async function setAside(client: Client, role: string, oid: number): Promise<void> {
  await inTransaction(client, async () => {
    await keepMemberships(client, role, []);
    await client.query(`COMMENT ON ROLE ${name(role)} IS ${literal(OURS)}`);
    await client.query(`ALTER ROLE ${name(role)} RENAME TO ${name(`${LEFT}${oid}`)}`);
  });
}
