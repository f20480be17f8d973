import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Forgets which addresses the services of a Temporal server had: it is down, and its next start gives them others. A
 * server that was killed would look for the old ones for seconds.
 */
export function forgetMembers(databaseFile: string): void {
  if (!existsSync(databaseFile)) return;
  const database = new DatabaseSync(databaseFile);
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'cluster_membership'").get();
    if (table !== undefined) database.exec('DELETE FROM cluster_membership');
  } finally {
    database.close();
  }
}
