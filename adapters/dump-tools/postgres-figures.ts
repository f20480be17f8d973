import { type Client, escapeIdentifier as name } from 'pg';
import type { Figures } from '../../domain/backups/backup.ts';
import { FairleadError } from '../../domain/errors.ts';

/** Tables that a dump has rows of: none of the system's, of extensions, or of a session. */
const TABLES = `SELECT n.nspname AS schema, c.relname AS table
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence <> 't'
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND NOT EXISTS (SELECT FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1, 2`;

/** What a service's own code could run by, where the administrator reads: as `pg_dump` does, nothing of it is read. */
const READ_NO_CODE = "SET LOCAL restrict_nonsystem_relation_kind = 'view, foreign-table'";
const UNKNOWN_SETTING = '42704';
/** Of one statement. */
const MOST_LOCKED = 500;
/** Whoever has a table to itself, and changes it, is not waited for longer: another attempt may come to a better moment. */
const LOCK_MS = 5 * 60_000;

interface Table {
  readonly schema: string;
  readonly table: string;
}

/**
 * Holds every table that is counted until the transaction of the client ends: none is dropped, and nothing else comes in
 * the place of one. From then on the transaction reads tables alone, since a view runs what its owner wrote.
 * @throws DUMP_FAILED for a server without the setting for it; UNAVAILABLE (retryable) when somebody keeps a table to himself
 */
export async function holdTables(client: Client, lockMs = LOCK_MS): Promise<readonly Table[]> {
  await client.query(READ_NO_CODE).catch((error: { code?: string }) => {
    if (error.code !== UNKNOWN_SETTING) throw error;
    const message = 'The PostgreSQL server cannot be read safely: update it to 13.16, 14.13, 15.8, 16.4 or later';
    throw new FairleadError('DUMP_FAILED', message, { cause: error });
  });
  await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
  const { rows: tables } = await client.query<Table>(TABLES);
  for (let from = 0; from < tables.length; from += MOST_LOCKED) {
    const names = tables.slice(from, from + MOST_LOCKED).map((table) => `ONLY ${nameOf(table)}`);
    await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  }
  return tables;
}

/** Counts the rows of tables that are held, by `schema.table`, as the client's transaction sees them. */
export async function countRows(client: Client, tables: readonly Table[]): Promise<Figures> {
  const figures: [string, number][] = [];
  for (const each of tables) {
    const text = `SELECT count(*)::text AS count FROM ONLY ${nameOf(each)}`;
    const { rows } = await client.query<{ count: string }>(text);
    figures.push([`${each.schema}.${each.table}`, Number(rows[0]?.count)]);
  }
  return Object.fromEntries(figures);
}

function nameOf({ schema, table }: Table): string {
  return `${name(schema)}.${name(table)}`;
}
