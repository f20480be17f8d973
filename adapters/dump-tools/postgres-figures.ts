import { type Client, escapeIdentifier as name } from 'pg';
import type { Figures } from '../../domain/backups/backup.ts';

/** Tables that a dump has rows of: none of the system's, of extensions, or of a session. */
const TABLES = `SELECT n.nspname AS schema, c.relname AS table
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence <> 't'
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND NOT EXISTS (SELECT FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1, 2`;

/** Counts the rows of every table, by `schema.table`, as the client's transaction sees them. */
export async function countRows(client: Client): Promise<Figures> {
  const { rows: tables } = await client.query<{ schema: string; table: string }>(TABLES);
  const figures: Record<string, number> = {};
  for (const { schema, table } of tables) {
    const text = `SELECT count(*)::text AS count FROM ONLY ${name(schema)}.${name(table)}`;
    const { rows } = await client.query<{ count: string }>(text);
    figures[`${schema}.${table}`] = Number(rows[0]?.count);
  }
  return figures;
}
