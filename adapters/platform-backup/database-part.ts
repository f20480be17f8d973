import { BSON, type Collection, type Db, type Document } from 'mongodb';
import { z } from 'zod';
import { READ_LAST } from '../../domain/platform-backup/parts.ts';
import { mongoCall } from '../mongo/connect.ts';
import { describingFrame, eachFrame, endFrame, FRAMES, frame } from './frames.ts';

/** So many bytes are passed on at a time. */
const PIECE_BYTES = 256 * 1024;
const READ_BATCH = 500;
const WRITE_BATCH = { documents: 500, bytes: 4 * 1024 ** 2 } as const;

/** In a database that is being restored: which backup it is restored from. Gone once everything is restored. */
export const RESTORE_MARK = 'fairlead_restore';

const listedSchema = z.looseObject({
  name: z.string(),
  type: z.string().optional(),
  options: z.record(z.string(), z.unknown()).default({}),
});

/** Lists the collections of a database but those of the server itself and of a restore. */
async function collectionsOf(db: Db): Promise<readonly { readonly name: string; readonly options: Document }[]> {
  const listed = z.array(listedSchema).parse(await mongoCall(() => db.listCollections().toArray()));
  const own = listed.filter(
    ({ name, type = 'collection' }) => type === 'collection' && !name.startsWith('system.') && name !== RESTORE_MARK,
  );
  const isLast = ({ name }: { readonly name: string }) => Number(READ_LAST.includes(name));
  return own.toSorted((a, b) => isLast(a) - isLast(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Reads a database as a stream of {@link FRAMES}: documents as the server has them, byte for byte. Indexes are not among them, since the
 * processes of the platform make those. Collections are read one after the other, as they are at that moment.
 */
export async function* readDatabase(db: Db, signal: AbortSignal): AsyncGenerator<Buffer> {
  const counts: { name: string; count: number }[] = [];
  let pieces: Uint8Array[] = [];
  let held = 0;
  const hold = (parts: readonly Uint8Array[]): void => {
    pieces.push(...parts);
    held += parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  };
  const take = (): Buffer => {
    const all = Buffer.concat(pieces);
    pieces = [];
    held = 0;
    return all;
  };
  for (const { name, options } of await collectionsOf(db)) {
    let count = 0;
    hold(describingFrame(FRAMES.collection, { name, options }));
    const cursor = db.collection(name).find({}, { raw: true, batchSize: READ_BATCH });
    try {
      while (await mongoCall(() => cursor.hasNext())) {
        signal.throwIfAborted();
        for (const document of cursor.readBufferedDocuments()) {
          hold(frame(FRAMES.document, document as unknown as Uint8Array));
          count += 1;
        }
        if (held >= PIECE_BYTES) yield take();
      }
    } finally {
      await cursor.close();
    }
    counts.push({ name, count });
  }
  hold(endFrame(counts));
  yield take();
}

/** Whether a database has nothing, or nothing but what a restore of this backup has left there. */
export async function isFreeFor(db: Db, backupId: string): Promise<boolean> {
  const mark = await mongoCall(() => db.collection<{ _id: string }>(RESTORE_MARK).findOne({ _id: backupId }));
  if (mark !== null) return true;
  for (const { name } of await collectionsOf(db)) {
    if ((await mongoCall(() => db.collection(name).findOne({}))) !== null) return false;
  }
  return (await mongoCall(() => db.collection(RESTORE_MARK).findOne({}))) === null;
}

/** Restores a database from its stream, over what a restore of the same backup has left there. @throws NOT_RESTORABLE, UNAVAILABLE */
export async function writeDatabase(db: Db, body: AsyncIterable<Uint8Array>, backupId: string): Promise<void> {
  await mongoCall(() => db.dropDatabase());
  // First of all: from here on it is known to be half a database.
  await mongoCall(() => db.collection<{ _id: string }>(RESTORE_MARK).insertOne({ _id: backupId }));
  let batch: { documents: Document[]; bytes: number } = { documents: [], bytes: 0 };
  let into: Collection | null = null;
  const flush = async (): Promise<void> => {
    const { documents } = batch;
    batch = { documents: [], bytes: 0 };
    const target = into;
    if (documents.length > 0 && target !== null)
      await mongoCall(() => target.insertMany(documents, { ordered: false }));
  };
  await eachFrame(body, {
    begin: async ({ name, options }) => {
      await flush();
      if (Object.keys(options).length > 0) await mongoCall(() => db.createCollection(name, options));
      into = db.collection(name);
    },
    document: async (bytes) => {
      // Numbers and patterns stay of the type that they have.
      batch.documents.push(BSON.deserialize(bytes, { promoteValues: false, bsonRegExp: true }));
      batch.bytes += bytes.length;
      if (batch.documents.length >= WRITE_BATCH.documents || batch.bytes >= WRITE_BATCH.bytes) await flush();
    },
    end: flush,
  });
}

/** Takes the mark of a restore from a database. Idempotent. */
export async function removeMark(db: Db): Promise<void> {
  await mongoCall(() => db.collection(RESTORE_MARK).drop()).catch(async (error: unknown) => {
    if ((await mongoCall(() => db.collection(RESTORE_MARK).findOne({}))) !== null) throw error;
  });
}
