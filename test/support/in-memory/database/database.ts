import type { Db } from 'mongodb';
import type { TestMongo } from '../../start-mongo.ts';
import { createCollection } from './collection.ts';

/**
 * A database of this process, for tests that make millions of calls: the stores of the identity provider are the real ones,
 * and pass their suites on it. It knows what they ask for, and throws at anything else. Each call is done at once.
 */
export function createDatabase(): TestMongo {
  const collections = new Map<string, ReturnType<typeof createCollection>>();
  function collection(name: string) {
    const known = collections.get(name);
    if (known !== undefined) return known;
    const made = createCollection();
    collections.set(name, made);
    return made;
  }
  const command = async () => ({ ok: 1, localTime: new Date() });
  const db = { collection, command } as unknown as Db;
  const pool = () => ({ open: 0, checkedOut: 0, waiting: 0, most: 0 });
  const connection = { db, pool, ping: async () => undefined, close: async () => undefined };
  return { uri: 'mongodb://nowhere', uriOf: () => 'mongodb://nowhere', connection, stop: async () => undefined };
}
