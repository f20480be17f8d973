import type { Client } from 'pg';

/** The role that owns a database; null when there is no such database. */
export async function ownerOf(client: Client, database: string): Promise<string | null> {
  const text = 'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1';
  const { rows } = await client.query<{ owner: string }>(text, [database]);
  return rows[0]?.owner ?? null;
}

/** @param role null for the current one */
export async function isSuperuser(client: Client, role: string | null): Promise<boolean> {
  const text = 'SELECT rolsuper FROM pg_roles WHERE rolname = COALESCE($1, CURRENT_USER)';
  const { rows } = await client.query<{ rolsuper: boolean }>(text, [role]);
  return rows[0]?.rolsuper === true;
}
