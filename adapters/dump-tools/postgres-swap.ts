import { type Client, DatabaseError, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import type { SwapNames } from '../../domain/backups/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { ensureRole, OURS } from '../postgres/own-roles.ts';
import { isRestoredWhole } from './give-back.ts';

/**
 * Renames `live` to `kept` and `scratch` to `live`, both or none: renaming is part of a transaction. Nobody is connected
 * meanwhile. Whoever may connect to the one may connect to the other. Done already, it opens what is live.
 *
 * A role with the name of the kept database is made in the same transaction, and says from then on that it was done: a role is
 * of the whole server, so it is there whatever becomes of the databases, and no service makes or drops one. Its comment has the
 * oid of what was put in place, which one that was provisioned since does not have. It goes with the kept database, or when its
 * restore has ended.
 * @param client of the administrator, in another database
 * @param prepare gives `scratch` to the owner of `live`, and lets those in who use that beside it: nobody is let into `live`
 *   while the lock is held
 * @throws RESTORE_FAILED where there is nothing to swap, or it was not restored to its end, and where what was put in place is not
 *   there any more
 */
export async function swapDatabases(client: Client, names: SwapNames, prepare: () => Promise<void>): Promise<void> {
  const { live, scratch, kept } = names;
  await lock(client, live);
  const isThere = await namesThere(client, [live, scratch, kept]);
  const done = await readSwap(client, names);
  if (done !== null) {
    if (!isThere.has(live) || !(await isKept(client, done)))
      throw failure(`${scratch} has taken the place of ${live}, and that is not there any more`);
  } else {
    if (!isThere.has(scratch)) throw failure(`The database ${scratch} is not there: nothing was swapped`);
    if (!(await isRestoredWhole(client, scratch))) {
      throw failure(`The database ${scratch} was not restored to its end: nothing was swapped`);
    }
    await prepare();
    if (isThere.has(live)) {
      await copyGrants(client, live, scratch);
      await copyLimit(client, live, scratch);
      await copySettings(client, live, scratch);
    }
    await rename(client, { live: isThere.has(live) ? live : null, scratch, kept, to: live });
  }
  await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS true`);
}

/**
 * Ends a swap that nobody goes on with. It was done in one transaction, or not at all: then nothing was changed, and the
 * scratch database is dropped before another call looks for it.
 * @param drop drops the scratch database, if it is there
 * @returns whether it was done, and what is live is there
 */
export async function endSwap(client: Client, names: SwapNames, drop: () => Promise<void>): Promise<boolean> {
  const { live } = names;
  await lock(client, live);
  const isThere = await namesThere(client, [live]);
  if (isThere.has(live)) await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS true`);
  await drop();
  const done = await readSwap(client, names);
  return done !== null && isThere.has(live) && (await isKept(client, done));
}

/** A swap that was done. */
interface DoneSwap {
  /** Of the database that was put in place; null where a worker of before has swapped, which did not write it down. */
  readonly oid: number | null;
}

const SWAPPED = `${OURS}, in place of `;

/** By the role that says so; by the kept database where a worker of before has swapped. @returns null where none was done */
async function readSwap(client: Client, { kept }: SwapNames): Promise<DoneSwap | null> {
  const text = `SELECT shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = $1
    UNION ALL SELECT NULL FROM pg_database WHERE datname = $1`;
  const { rows } = await client.query<{ comment: string | null }>(text, [kept]);
  if (rows.length === 0) return null;
  const comment = rows.find((row) => row.comment?.startsWith(SWAPPED))?.comment;
  return { oid: comment == null ? null : Number(comment.slice(SWAPPED.length)) };
}

/** Whether what was put in place is there still: by another name, where a later restore has replaced it. */
async function isKept(client: Client, { oid }: DoneSwap): Promise<boolean> {
  return oid === null || (await client.query('SELECT FROM pg_database WHERE oid = $1', [oid])).rows.length > 0;
}

function failure(message: string): FairleadError {
  return new FairleadError('RESTORE_FAILED', message);
}

/** The lock of whoever provisions the database; it ends with the connection. */
async function lock(client: Client, live: string): Promise<void> {
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`fairlead ${live}`]);
}

/** Between two statements of a rename: so long at most a worker that is paused keeps a database closed to the next attempt. */
const MOST_IDLE_MS = 60_000;

/** Nothing where the server does not know them: `idle_session_timeout` came with version 14. */
async function boundIdleness(client: Client): Promise<void> {
  const text = 'SELECT set_config(name, $1, false) FROM pg_settings WHERE name = ANY($2)';
  await client.query(text, [`${MOST_IDLE_MS}`, ['idle_session_timeout', 'idle_in_transaction_session_timeout']]);
}

async function rename(
  client: Client,
  {
    live,
    scratch,
    kept,
    to,
  }: { readonly live: string | null; readonly scratch: string; readonly kept: string; readonly to: string },
): Promise<void> {
  await boundIdleness(client);
  if (live !== null) await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS false`);
  try {
    const text = 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ANY($1)';
    await client.query(text, [[live, scratch].filter((each) => each !== null)]);
    await client.query('BEGIN');
    if (live !== null) await client.query(`ALTER DATABASE ${name(live)} RENAME TO ${name(kept)}`);
    await client.query(`ALTER DATABASE ${name(scratch)} RENAME TO ${name(to)}`);
    await ensureRole(client, kept);
    const { rows } = await client.query<{ oid: number }>('SELECT oid FROM pg_database WHERE datname = $1', [to]);
    await client.query(`COMMENT ON ROLE ${name(kept)} IS ${literal(`${SWAPPED}${rows[0]?.oid}`)}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (live !== null) await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS true`).catch(() => undefined);
    throw error;
  }
}

async function namesThere(client: Client, names: readonly string[]): Promise<ReadonlySet<string>> {
  const text = 'SELECT datname FROM pg_database WHERE datname = ANY($1)';
  const { rows } = await client.query<{ datname: string }>(text, [names]);
  return new Set(rows.map(({ datname }) => datname));
}

/** Who may connect to a database, as the other one has it. */
async function copyGrants(client: Client, from: string, to: string): Promise<void> {
  const text = `SELECT CASE grantee WHEN 0 THEN NULL ELSE pg_get_userbyid(grantee) END AS grantee, privilege_type AS privilege
    FROM pg_database, aclexplode(datacl) WHERE datname = $1 AND grantee <> datdba`;
  const { rows } = await client.query<{ grantee: string | null; privilege: string }>(text, [from]);
  for (const { grantee, privilege } of rows) {
    if (!/^(CONNECT|CREATE|TEMPORARY)$/.test(privilege)) continue;
    await client.query(`GRANT ${privilege} ON DATABASE ${name(to)} TO ${grantee === null ? 'PUBLIC' : name(grantee)}`);
  }
}

/** How many connections a database takes, as the other one has it. */
async function copyLimit(client: Client, from: string, to: string): Promise<void> {
  const text = 'SELECT datconnlimit FROM pg_database WHERE datname = $1';
  const { rows } = await client.query<{ datconnlimit: number }>(text, [from]);
  await client.query(`ALTER DATABASE ${name(to)} CONNECTION LIMIT ${Number(rows[0]?.datconnlimit ?? -1)}`);
}

/**
 * What a database sets for all connections to it, and for those of a role (`ALTER DATABASE … SET`), as the other one has it: no
 * archive holds that. A setting that the server does not take any more has no effect in either, and is left out.
 */
async function copySettings(client: Client, from: string, to: string): Promise<void> {
  const text = `SELECT rolname AS role, split_part(setting, '=', 1) AS setting,
      substr(setting, strpos(setting, '=') + 1) AS value
    FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
    LEFT JOIN pg_roles ON pg_roles.oid = setrole CROSS JOIN unnest(setconfig) AS setting
    WHERE datname = $1`;
  const { rows } = await client.query<{ role: string | null; setting: string; value: string }>(text, [from]);
  for (const { role, setting, value } of rows) {
    const whose = role === null ? `DATABASE ${name(to)}` : `ROLE ${name(role)} IN DATABASE ${name(to)}`;
    const named = setting.split('.').map(name).join('.');
    // One transaction: the administrator has the setting as long as the server takes to write it down as it is.
    const copy = `SELECT set_config(${literal(setting)}, ${literal(value)}, true); ALTER ${whose} SET ${named} FROM CURRENT`;
    await client.query(copy).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    });
  }
}
