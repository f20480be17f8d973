import { createHash, randomBytes } from 'node:crypto';
import { BSON, type Db } from 'mongodb';

/** Of one collection: the stand-in answers with all documents of one at once, from a heap of 384 MB. */
const COLLECTION_MB = 8;
const PICTURE_BYTES = 8_192;
const ORDER_BYTES = 500;

/**
 * Fills a database with mixed data of so many MB, as `mixed-content.ts` does it in PostgreSQL: half of it pictures that do not
 * compress, the rest documents of text, numbers and lists that compress well, with an index.
 */
export async function fillDocuments(db: Db, megabytes: number): Promise<void> {
  const collections = Math.max(1, Math.round(megabytes / 2 / COLLECTION_MB));
  const bytes = (megabytes * 1e6) / 2 / collections;
  for (let number = 0; number < collections; number += 1) {
    const pictures = Array.from({ length: Math.round(bytes / PICTURE_BYTES) }, (_, id) => ({
      ...{ _id: id, name: `Bild Ω 語 ${id}`, content: randomBytes(PICTURE_BYTES) },
    }));
    await db.collection<{ _id: number }>(`pictures-${number}`).insertMany(pictures);
    const orders = Array.from({ length: Math.round(bytes / ORDER_BYTES) }, (_, id) => orderOf(id));
    await db.collection<{ _id: number }>(`orders-${number}`).insertMany(orders);
    await db.collection(`orders-${number}`).createIndex({ customer: 1, placed: 1 });
  }
}

function orderOf(id: number) {
  return {
    ...{ _id: id, customer: id % 9_973, placed: new Date(Date.UTC(2020, 0, 1) + id * 7_000) },
    note: `Order ${id}: ${'please leave the parcel with the neighbours '.repeat(6)}`,
    lines: { article: id % 1_000, count: id % 7, price: ((id * 37) % 10_000) / 100, tags: ['a', 'b', null] },
  };
}

/** Changes a third of the orders, and takes half of the pictures away. */
export async function changeDocuments(db: Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const collection = db.collection(name);
    if (name.startsWith('pictures')) await collection.deleteMany({ _id: { $mod: [2, 0] } as never });
    else await collection.updateMany({ _id: { $mod: [3, 0] } as never }, { $set: { note: null } });
  }
}

/** One value for all documents, and how many bytes of BSON they are. */
export async function readDocuments(db: Db): Promise<{ readonly sum: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  for (const name of names) {
    hash.update(name);
    for await (const document of db.collection(name).find().sort({ _id: 1 })) {
      const bson = BSON.serialize(document);
      bytes += bson.length;
      hash.update(bson);
    }
  }
  return { sum: hash.digest('hex'), bytes };
}
