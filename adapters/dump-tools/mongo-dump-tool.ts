import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { MongoClient } from 'mongodb';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { isScratch } from '../../domain/backups/restore.ts';
import { FairleadError } from '../../domain/errors.ts';
import { withLogin } from '../mongodb-server/address.ts';
import { BACKUPS_DATABASE, scratchesOf, swapsOf } from '../mongodb-server/own-databases.ts';
import { withAdmin } from '../mongodb-server/with-admin.ts';
import { writePiece, writePieces } from '../process/write-pieces.ts';
import { ALWAYS } from './is-meant.ts';
import { ArchiveError, type ArchiveReader, createArchiveReader } from './mongo-archive.ts';
import { countDocuments, isEmpty, sumOf } from './mongo-figures.ts';
import { asRestorer } from './mongo-restorer.ts';
import {
  beginOverwriting,
  endOverwriting,
  endSwap,
  requireWhole,
  type SwapParts,
  swapDatabases,
  undoSwap,
} from './mongo-swap.ts';
import { createMongoTools, type MongoToolsOptions, namespacesOf } from './mongo-tools.ts';

export interface MongoDumpOptions extends MongoToolsOptions {
  /** Awaited before each call: the embedded server, and the tools, are there on first need. */
  readonly whenNeeded?: () => Promise<void>;
  /** How long a call that was killed while it closed or opened a database keeps others from that. */
  readonly patienceMs?: number;
}

/**
 * `mongodump --archive --gzip` and `mongorestore` (spec 2, "Database backups"). MongoDB shows no tool one moment of a
 * database while others write: each collection is dumped as it was read, and the figures are counted in the archive itself.
 * An archive is read on its way into `mongorestore`, which is given nothing of it that is not of the one database.
 */
export function createMongoDumpTool(options: MongoDumpOptions): DumpTool {
  const { adminUri, whenNeeded, patienceMs } = options;
  const tools = createMongoTools(options);
  const asAdmin = async <T>(signal: AbortSignal, work: (client: MongoClient) => Promise<T>): Promise<T> => {
    await whenNeeded?.();
    return await withAdmin(adminUri, signal, work);
  };
  const withParts = <T>(signal: AbortSignal, work: (parts: SwapParts) => Promise<T>): Promise<T> =>
    asAdmin(signal, (client) => {
      const asUser: SwapParts['asUser'] = (login, done) => {
        const uri = withLogin(adminUri, { ...login, database: BACKUPS_DATABASE });
        const own = createMongoTools({ ...options, adminUri: uri });
        return withAdmin(uri, signal, (restorer) => done({ client: restorer, tools: own }));
      };
      return work({ client, tools, signal, patienceMs, asUser });
    });
  return {
    async dump(databaseName, store, { signal }) {
      await asAdmin(signal, (client) => requireWhole(client, databaseName));
      const reader = createArchiveReader(databaseName);
      const counted = (archive: AsyncIterable<Uint8Array>) => store(readBeside(archive, reader));
      const stored = await tools.dump(['--gzip', `--db=${databaseName}`], counted, signal);
      return { stored, figures: reader.end() };
    },
    async restoreInto({ from, scratch }, archive, { signal }) {
      requireScratch(scratch);
      await asAdmin(signal, (client) => dropScratch(client, scratch));
      const names = [`--nsFrom=${namespacesOf(from)}`, `--nsTo=${namespacesOf(scratch)}`];
      await tools.restore([`--nsInclude=${namespacesOf(from)}`, ...names], plainArchive(archive, from), signal);
      await asAdmin(signal, async (client) => {
        const sum = sumOf(await countDocuments(client, scratch));
        await scratchesOf(client).updateOne({ _id: scratch }, { $set: { from, sum } }, { upsert: true });
      });
    },
    async restoreInPlace(databaseName, archive, { signal, isMeant = ALWAYS }) {
      const record = await withParts(signal, (parts) => beginOverwriting(parts, databaseName, isMeant));
      try {
        const include = `--nsInclude=${namespacesOf(databaseName)}`;
        const plain = plainArchive(archive, databaseName);
        await withParts(signal, (parts) =>
          asRestorer(parts, { record, database: databaseName }, (restorer) =>
            restorer.tools.restore(['--drop', include], plain, signal),
          ),
        );
      } finally {
        await withParts(AbortSignal.timeout(60_000), (parts) => endOverwriting(parts, record));
      }
    },
    size: (databaseName, signal) =>
      asAdmin(signal, async (client) => {
        const { databases } = await client.db('admin').admin().listDatabases();
        const found = databases.find(({ name }) => name === databaseName);
        if (found === undefined || (await isEmpty(client, databaseName))) return null;
        return { bytes: found.sizeOnDisk ?? null };
      }),
    figures: (databaseName, signal) => asAdmin(signal, (client) => countDocuments(client, databaseName)),
    reopen: (databaseName, { signal }) => withParts(signal, (parts) => undoSwap(parts, databaseName)),
    swap: (names, { signal }) => withParts(signal, (parts) => swapDatabases(parts, names)),
    async endSwap(names, { signal }) {
      requireScratch(names.scratch);
      return await withParts(signal, (parts) => endSwap(parts, names));
    },
    async drop(scratch) {
      requireScratch(scratch);
      await asAdmin(AbortSignal.timeout(120_000), (client) => dropScratch(client, scratch));
    },
  };
}

/** Passes an archive on as it is, and has each piece read before: its memory is used again once the next one is asked for. */
async function* readBeside(archive: AsyncIterable<Uint8Array>, reader: ArchiveReader): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip();
  const reading = pipeline(unzipped, async (plain: AsyncIterable<Uint8Array>) => {
    for await (const bytes of plain) reader.write(bytes);
  });
  // Whoever waits below is told.
  const failed = new AbortController();
  reading.catch((error: unknown) => failed.abort(error));
  try {
    for await (const chunk of archive) {
      failed.signal.throwIfAborted();
      await writePiece(unzipped, chunk, failed.signal);
      yield chunk;
    }
    unzipped.end();
    await reading;
    reader.end();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new FairleadError('DUMP_FAILED', `mongodump wrote a bad archive: ${error.message}`, { cause: error });
  } finally {
    unzipped.destroy();
  }
}

/**
 * What an archive says, uncompressed, as far as it was read and is of its database: nothing else ever reaches the tool.
 * @throws RESTORE_FAILED for what is not of the database, or no archive, or cut off
 */
async function* plainArchive(archive: AsyncIterable<Uint8Array>, database: string): AsyncGenerator<Uint8Array> {
  const reader = createArchiveReader(database);
  const unzipped = createGunzip();
  const unzipping = writePieces(archive, unzipped).catch((error: Error) => {
    unzipped.destroy(error);
    throw error;
  });
  unzipping.catch(() => undefined);
  try {
    for await (const bytes of unzipped as AsyncIterable<Uint8Array>) {
      reader.write(bytes);
      yield bytes;
    }
    // What is wrong with the archive as a whole, such as its checksum.
    await unzipping;
    reader.end();
  } catch (error) {
    throw restoreError(error);
  } finally {
    unzipped.destroy();
  }
}

function restoreError(error: unknown): unknown {
  const isBad = error instanceof ArchiveError || /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');
  if (!isBad) return error;
  const why = error instanceof ArchiveError ? error.message : 'it is cut off, or no gzip';
  return new FairleadError('RESTORE_FAILED', `The archive cannot be restored: ${why}`, { cause: error });
}

async function dropScratch(client: MongoClient, scratch: string): Promise<void> {
  await scratchesOf(client).deleteOne({ _id: scratch });
  await client.db(scratch).dropDatabase();
  await swapsOf(client).deleteOne({ _id: scratch });
}

function requireScratch(database: string): void {
  if (isScratch(database)) return;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `${database} was not made by backups: they neither overwrite nor drop it`,
  );
}
