import type { Collection } from 'mongodb';
import { insertMissing } from '../insert-new.ts';

export interface Stored {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** Documents of one insert: at most about 8 MB. */
const INSERT_DOCUMENTS = 100;

/** Inserts what is not there yet. @param size documents of one insert */
export async function insertAll(
  collection: Collection<Stored>,
  documents: Iterable<Stored>,
  size = INSERT_DOCUMENTS,
): Promise<void> {
  let group: Stored[] = [];
  for (const document of documents) {
    group.push(document);
    if (group.length < size) continue;
    await insertMissing(collection, group);
    group = [];
  }
  await insertMissing(collection, group);
}
