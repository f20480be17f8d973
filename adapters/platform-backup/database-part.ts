import { BSON, type ClientSession, type Collection, type Db, type Document, MongoError } from 'mongodb';
import { z } from 'zod';
import { READ_LAST } from '../../domain/platform-backup/parts.ts';
import { insertOnce, mongoCall } from '../mongo/connect.ts';
import { describingFrame, eachFrame, endFrame, FRAMES, frame } from './frames.ts';
import { mendPairs } from './pairs.ts';

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

/** Lists the collections of a database but those of the server itself, of a restore, and the ones that are left out. */
async function collectionsOf(
  db: Db,
  leftOut: readonly string[],
): Promise<readonly { readonly name: string; readonly options: Document }[]> {
  const listed = z.array(listedSchema).parse(await mongoCall(() => db.listCollections().toArray()));
  const own = listed.filter(
    ({ name, type = 'collection' }) =>
      type === 'collection' && !name.startsWith('system.') && name !== RESTORE_MARK && !leftOut.includes(name),
  );
  const turn = ({ name }: { readonly name: string }) => READ_LAST.indexOf(name);
  return own.toSorted((a, b) => turn(a) - turn(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Reads a database as a stream of {@link FRAMES}: documents as the server has them, byte for byte. Indexes are not among them, since the
 * processes of the platform make those. All of it is of one moment where the server has snapshots, for as long as it keeps one (MongoDB:
 * five minutes). Beyond that, collections are read one after the other, as they are at that moment: a restore mends what then does not fit.
 */
export async function* readDatabase(
  db: Db,
  signal: AbortSignal,
  leftOut: readonly string[] = [],
): AsyncGenerator<Buffer> {
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
  const collections = await collectionsOf(db, leftOut);
  const snapshot = await openSnapshot(db, collections[0]?.name);
  try {
    for (const { name, options } of collections) {
      let count = 0;
      hold(describingFrame(FRAMES.collection, { name, options }));
      for await (const documents of documentsOf(db.collection(name), snapshot)) {
        signal.throwIfAborted();
        for (const document of documents) hold(frame(FRAMES.document, document));
        count += documents.length;
        if (held >= PIECE_BYTES) yield take();
      }
      counts.push({ name, count });
    }
  } finally {
    await snapshot.end();
  }
  hold(endFrame(counts));
  yield take();
}

interface Snapshot {
  /** Null once there is none. */
  session: ClientSession | null;
  end(): Promise<void>;
}

/** A moment that all reads are of, if the server has such; it is the one of the first read. @param collection of that read */
async function openSnapshot(db: Db, collection: string | undefined): Promise<Snapshot> {
  const session = db.client.startSession({ snapshot: true });
  const snapshot: Snapshot = {
    session,
    end: async () => {
      snapshot.session = null;
      await session.endSession();
    },
  };
  try {
    if (collection !== undefined) await mongoCall(() => db.collection(collection).findOne({}, { session }));
  } catch (error) {
    await snapshot.end();
    // One server alone, or the embedded stand-in, says in its own way that it has none.
    if (!(error instanceof MongoError)) throw error;
  }
  return snapshot;
}

/** SnapshotTooOld and SnapshotUnavailable (error_codes.yml of MongoDB). */
const NO_LONGER_KEPT: ReadonlySet<unknown> = new Set([239, 246]);

/** All documents of a collection, some at a time. Where the snapshot is lost, it goes on behind the last one, without it. */
async function* documentsOf(collection: Collection, snapshot: Snapshot): AsyncGenerator<readonly Uint8Array[]> {
  let last: { readonly id: unknown } | null = null;
  for (;;) {
    const { session } = snapshot;
    const filter = last === null ? {} : { $expr: { $gt: ['$_id', { $literal: last.id }] } };
    const options = { raw: true, batchSize: READ_BATCH };
    // The order of ids is that in which it can be gone on.
    const cursor =
      session === null
        ? collection.find(filter, options)
        : collection.find(filter, { ...options, session }).sort({ _id: 1 });
    try {
      while (await mongoCall(() => cursor.hasNext())) {
        const documents = cursor.readBufferedDocuments() as unknown as readonly Uint8Array[];
        yield documents;
        const newest = documents.at(-1);
        if (session !== null && newest !== undefined) last = { id: idOf(newest) };
      }
      return;
    } catch (error) {
      if (session === null || !isLost(error)) throw error;
      await snapshot.end();
    } finally {
      await cursor.close();
    }
  }
}

function isLost(error: unknown): boolean {
  return error instanceof MongoError && NO_LONGER_KEPT.has(error.code);
}

function idOf(document: Uint8Array): unknown {
  return BSON.deserialize(document, { promoteValues: false, bsonRegExp: true })._id;
}

/** Whether a database has nothing, or nothing but what a restore of this backup has left there. */
export async function isFreeFor(db: Db, backupId: string): Promise<boolean> {
  const mark = await mongoCall(() => db.collection<{ _id: string }>(RESTORE_MARK).findOne({ _id: backupId }));
  if (mark !== null) return true;
  for (const { name } of await collectionsOf(db, [])) {
    if ((await mongoCall(() => db.collection(name).findOne({}))) !== null) return false;
  }
  return (await mongoCall(() => db.collection(RESTORE_MARK).findOne({}))) === null;
}

/** Restores a database from its stream, over what a restore of the same backup has left there. @throws NOT_RESTORABLE, UNAVAILABLE */
export async function writeDatabase(db: Db, body: AsyncIterable<Uint8Array>, backupId: string): Promise<void> {
  // First of all, and it stays: from here on it is known to be half a database.
  await insertOnce(db.collection<{ _id: string }>(RESTORE_MARK), backupId, {});
  for (const { name } of await collectionsOf(db, [])) await mongoCall(() => db.collection(name).drop());
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
  await mendPairs(db);
}

/** Takes the mark of a restore from a database. Idempotent. */
export async function removeMark(db: Db): Promise<void> {
  await mongoCall(() => db.collection(RESTORE_MARK).drop()).catch(async (error: unknown) => {
    if ((await mongoCall(() => db.collection(RESTORE_MARK).findOne({}))) !== null) throw error;
  });
}
