import { createHash, randomBytes } from 'node:crypto';
import { type Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { FairleadError } from '../../domain/errors.ts';
import { removeRole, type Within } from '../postgres/remove-role.ts';
import { isSuperuser, ownerOf } from '../postgres/roles.ts';
import { scramVerifier } from '../postgres/scram-verifier.ts';
import type { PostgresLogin } from './postgres-connection.ts';

/**
 * An archive holds code: functions, and expressions of indexes and views, which run while it is restored. So whoever
 * restores it is a role that was made for that, which has the one database and nothing else, and is no superuser.
 */

/** What is left by a worker that was killed logs in no longer than this. */
const VALID_MS = 24 * 3_600_000;

/** Makes a role that may log in and do nothing else. One of that name is replaced. */
export async function createRestorer(client: Client, within: Within, role: string): Promise<PostgresLogin> {
  await dropRestorer(client, within, role);
  const password = randomBytes(24).toString('base64url');
  const until = new Date(Date.now() + VALID_MS).toISOString();
  const limits = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
  const proof = `PASSWORD ${literal(scramVerifier(password))} VALID UNTIL ${literal(until)}`;
  await client.query(`CREATE ROLE ${name(role)} ${limits} ${proof}`);
  if (!(await isSuperuser(client, null))) await client.query(`GRANT ${name(role)} TO CURRENT_USER`);
  return { user: role, password };
}

/** What the names of the roles begin with that restore over a database. */
function rolesOver(database: string): string {
  return `fairlead_restorer_${createHash('sha256').update(database).digest('hex').slice(0, 16)}_`;
}

/** A role for one restore over a database. */
export function roleOver(database: string): string {
  return rolesOver(database) + randomBytes(8).toString('hex');
}

/**
 * Ends restores over the database of the client that were killed, or that go on unseen, and drops their roles: what is
 * restored next is restored by one alone.
 * @param to who gets what they own
 */
export async function dropLeftRestorers(
  client: Client,
  within: Within,
  { database, to }: { readonly database: string; readonly to: string },
): Promise<void> {
  const text = 'SELECT rolname AS role FROM pg_roles WHERE starts_with(rolname, $1)';
  const { rows } = await client.query<{ role: string }>(text, [rolesOver(database)]);
  for (const { role } of rows) await endRestorer(client, within, { role, to });
}

/**
 * Ends what a role has under way in the database of the client, and drops it. When this has returned, nothing is committed any more.
 * Idempotent.
 * @param to who gets what it owns
 * @throws UNAVAILABLE (retryable) when it is still at work
 */
export async function endRestorer(
  client: Client,
  within: Within,
  { role, to }: { readonly role: string; readonly to: string },
): Promise<void> {
  if (!(await hasRestorer(client, role))) return;
  await client.query(`ALTER ROLE ${name(role)} NOLOGIN PASSWORD NULL`);
  await client.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = $1', [role]);
  const { rows: left } = await client.query('SELECT FROM pg_stat_activity WHERE usename = $1', [role]);
  if (left.length > 0) {
    const text = `A restore of PostgreSQL is at work as ${role}, and did not end within 10 s.`;
    throw new FairleadError('UNAVAILABLE', text, { system: 'postgres', retryable: true });
  }
  await handOver(client, role, to);
  await dropRestorer(client, within, role);
}

/** Drops a role that owns nothing any more, also where services name it in their databases. Idempotent. */
export async function dropRestorer(client: Client, within: Within, role: string): Promise<void> {
  await removeRole(client, within, role);
}

export async function hasRestorer(client: Client, role: string): Promise<boolean> {
  return (await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rows.length > 0;
}

/**
 * Gives all that a role owns in the database of the client to another one, and takes its privileges there. Nothing where the role
 * is gone: another call has ended its restore.
 * @param to null for the administrator
 */
export async function handOver(client: Client, role: string, to: string | null): Promise<void> {
  if (!(await hasRestorer(client, role))) return;
  await client.query(`REASSIGN OWNED BY ${name(role)} TO ${to === null ? 'CURRENT_USER' : name(to)}`);
  await client.query(`DROP OWNED BY ${name(role)}`);
}

/** The owner of a database that a restore may act as. @throws RESTORE_FAILED for a superuser, and for no database */
export async function requireOrdinaryOwner(client: Client, database: string): Promise<string> {
  const owner = await ownerOf(client, database);
  if (owner === null) throw new FairleadError('RESTORE_FAILED', `The database ${database} is not there any more`);
  if (!(await isSuperuser(client, owner))) return owner;
  const message = `The database ${database} is owned by the superuser ${owner}: give it an owner of its own, or restore by swap`;
  throw new FairleadError('RESTORE_FAILED', message);
}
