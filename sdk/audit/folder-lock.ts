import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FairleadError } from '../../domain/errors.ts';

/**
 * Takes a folder for this process alone; another one, or another client in this one, is refused. The lock is one of the
 * operating system, held on a database file, so that it is free the moment its holder dies, in whatever way.
 *
 * @returns what releases it
 * @throws CONFLICT while the folder is taken
 */
export function lockFolder(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'lock.sqlite'));
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new FairleadError('CONFLICT', `Another process uses the audit outbox in ${folder}: give each its own`, {
      cause,
    });
  }
  return () => database.close();
}
