import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Of these, every server that has come up has written the first; the second is its users' work. */
const USED_TABLES = ['cluster_metadata_info', 'executions'] as const;

const LOCKED_FOR_MS = 10_000;

/**
 * Makes the database of a Temporal server that is down ready for its next start. One in which no server has come up yet is
 * removed: a server that is killed while it makes its tables, one after the other, does not make the others at its next
 * start. In any other, which addresses the services of the server had is forgotten: the next start gives them others, and
 * one after a kill would look for the old ones for seconds.
 */
export function prepareTemporalDatabase(databaseFile: string): void {
  if (!existsSync(databaseFile)) return;
  // A server that was told to end frees its port at once, and its database a second later.
  const database = new DatabaseSync(databaseFile, { timeout: LOCKED_FOR_MS });
  try {
    if (USED_TABLES.some((table) => hasRows(database, table))) {
      database.exec('DELETE FROM cluster_membership');
      return;
    }
  } finally {
    database.close();
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${databaseFile}${suffix}`, { force: true });
}

function hasRows(database: DatabaseSync, table: (typeof USED_TABLES)[number]): boolean {
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return known !== undefined && database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
}
