import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey, mongoCall } from '../connect.ts';

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
  const insert = async (group: OptionalUnlessRequiredId<Stored>[]): Promise<void> => {
    if (group.length === 0) return;
    try {
      await mongoCall(() => collection.insertMany(group, { ordered: false }));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };
  let group: OptionalUnlessRequiredId<Stored>[] = [];
  for (const document of documents) {
    group.push(document);
    if (group.length < size) continue;
    await insert(group);
    group = [];
  }
  await insert(group);
}
