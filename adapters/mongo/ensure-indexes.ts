import type { Db, IndexDescription } from 'mongodb';
import { mongoCall } from './connect.ts';

/** Every index of a module, by collection. */
export type IndexTable = Readonly<Record<string, readonly IndexDescription[]>>;

/** Creates what is missing of a table; safe to run by every process at its start. @throws UNAVAILABLE */
export async function ensureIndexes(db: Db, table: IndexTable): Promise<void> {
  for (const [collection, indexes] of Object.entries(table)) {
    await mongoCall(() => db.collection(collection).createIndexes([...indexes]));
  }
}

/** An index over one field that refuses a value it has. */
export const unique = (key: Record<string, 1>, name: string): IndexDescription => ({ key, name, unique: true });
