import { type Client, escapeIdentifier as name } from 'pg';
import { FairleadError } from '../../domain/errors.ts';

/** A database whose place another one takes. */
export interface SwapNames {
  readonly live: string;
  readonly scratch: string;
  readonly kept: string;
}

/**
 * Renames `live` to `kept` and `scratch` to `live`, both or none: renaming is part of a transaction. Nobody is connected
 * meanwhile. Whoever may connect to the one may connect to the other. Done already, it opens what is live.
 * @param client of the administrator, in another database
 */
export async function swapDatabases(client: Client, { live, scratch, kept }: SwapNames): Promise<void> {
  // The lock of whoever provisions the database; it ends with the connection.
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`fairlead ${live}`]);
  const isThere = new Set((await databases(client, [live, scratch, kept])).map(({ datname }) => datname));
  if (isThere.has(scratch)) {
    if (isThere.has(live)) {
      await copyGrants(client, live, scratch);
      await copyLimit(client, live, scratch);
    }
    await rename(client, { live: isThere.has(live) ? live : null, scratch, kept, to: live });
  } else if (!isThere.has(live) || !isThere.has(kept)) {
    throw new FairleadError('RESTORE_FAILED', `The database ${scratch} is not there: nothing was swapped`);
  }
  await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS true`);
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
  if (live !== null) await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS false`);
  try {
    const text = 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ANY($1)';
    await client.query(text, [[live, scratch].filter((each) => each !== null)]);
    await client.query('BEGIN');
    if (live !== null) await client.query(`ALTER DATABASE ${name(live)} RENAME TO ${name(kept)}`);
    await client.query(`ALTER DATABASE ${name(scratch)} RENAME TO ${name(to)}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (live !== null) await client.query(`ALTER DATABASE ${name(live)} ALLOW_CONNECTIONS true`).catch(() => undefined);
    throw error;
  }
}

async function databases(client: Client, names: readonly string[]): Promise<readonly { readonly datname: string }[]> {
  const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname = ANY($1)', [
    names,
  ]);
  return rows;
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
