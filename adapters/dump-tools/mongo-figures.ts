import { createHash } from 'node:crypto';
import type { Db, MongoClient } from 'mongodb';
import type { Figures } from '../../domain/backups/backup.ts';
import { indexesOf, isExpiring, isOfServer } from './mongo-archive.ts';

/** Whether a database holds anything. One that holds nothing is not there. */
export async function isEmpty(client: MongoClient, database: string): Promise<boolean> {
  return (await client.db(database).listCollections({}, { nameOnly: true }).toArray()).length === 0;
}

/**
 * Counts the documents and the indexes of each collection, by its name, as the figures of an archive have them. A view is
 * named, and not read: it runs what its owner wrote. What expires by itself is not counted; see {@link isExpiring}.
 */
export async function countDocuments(client: MongoClient, database: string): Promise<Figures> {
  const db = client.db(database);
  const figures: [string, number][] = [];
  for (const { name, type, ...described } of await db.listCollections().toArray()) {
    // What a time series keeps its documents in has a row for the series itself.
    if (isOfServer(name) || name.startsWith('system.buckets.')) continue;
    if (type === 'view') {
      figures.push([name, 0]);
      continue;
    }
    const indexes = await db.collection(name).listIndexes().toArray();
    figures.push([indexesOf(name), indexes.length]);
    const options = 'options' in described ? (described.options ?? {}) : {};
    if (!isExpiring([options, ...indexes])) figures.push([name, await count(db, name, type)]);
  }
  return Object.fromEntries(figures);
}

async function count(db: Db, name: string, type: string | undefined): Promise<number> {
  return await db.collection(type === 'timeseries' ? `system.buckets.${name}` : name).countDocuments({});
}

/** The same text for the same figures. */
export function sumOf(figures: Figures): string {
  const sorted = Object.entries(figures).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
