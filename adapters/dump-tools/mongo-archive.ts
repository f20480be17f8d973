import { BSON } from 'mongodb';
import { z } from 'zod';
import type { Figures } from '../../domain/backups/backup.ts';
import { parseJson } from '../../domain/parse-json.ts';

/**
 * The format of `mongodump --archive` (mongo-tools, common/archive): a magic number; a block with the header and the
 * metadata of each collection; then blocks of documents, each with a header that names a collection, and at its end one
 * that says so. A block is documents in BSON and a terminator.
 */
const MAGIC = 0x8199e26d;
const TERMINATOR = 0xffff_ffff;
const LENGTH_BYTES = 4;
/** Of a document; the server's are 16 MiB, and some KiB of its own. */
const MOST_BYTES = 17 * 1024 ** 2;
const FEWEST_BYTES = 5;
/** Of the header of a block, which names one collection. */
const MOST_HEADER_BYTES = 64 * 1024;
/** Of the names of all collections: the figures have each of them twice, in a record of 16 MiB. */
const MOST_NAME_BYTES = 4 * 1024 ** 2;
const NOTHING = Buffer.alloc(0);
const BUCKETS = 'system.buckets.';

/** What an archive holds that is not of its database, or is no archive. It names no value of a document. */
export class ArchiveError extends Error {}

export interface ArchiveReader {
  /** Takes the next bytes. @throws ArchiveError at the first one that is wrong */
  write(bytes: Uint8Array): void;
  /** @returns how many documents and indexes each collection has. @throws ArchiveError for one that was cut off */
  end(): Figures;
}

const named = { db: z.string(), collection: z.string() };
const metadata = z.strictObject({
  ...{ ...named, metadata: z.string(), size: z.unknown(), type: z.string().default('') },
});
const aging = z.looseObject({ expireAfterSeconds: z.unknown().optional() });
const described = z.object({ indexes: z.array(aging).default([]), options: aging.nullish() });
/** Of a collection that was dropped while it was dumped nothing is described: it is restored with the index of `_id`. */
const DROPPED = { indexes: [{}] };
const header = z.strictObject({ ...named, EOF: z.boolean(), CRC: z.unknown() });

/** Where in a block the next document stands. */
type Place = 'prelude header' | 'prelude' | 'header' | 'body';

/**
 * Reads an archive as it passes by: what it holds, and that all of it is of one database. Documents are counted, and neither
 * parsed nor kept. What is kept is the names of the collections, and one description of a collection at a time.
 */
export function createArchiveReader(database: string): ArchiveReader {
  const figures = new Map<string, number>();
  /** Collections whose documents nobody counts. */
  const expiring = new Set<string>();
  /** Collections whose end has not been seen. */
  const open = new Set<string>();
  const names = new Set<string>();
  let nameBytes = 0;
  let place: Place = 'prelude header';
  let current: string | null = null;
  let hasMagic = false;

  const requireOwn = (db: string, collection: string): void => {
    if (db !== database) throw new ArchiveError(`it holds the database ${db}, not only ${database}`);
    if (isOfServer(collection)) throw new ArchiveError(`it holds ${collection}, which is the server's own`);
    // The tools know no pattern that has it, and leave it out.
    if (collection.includes('\n'))
      throw new ArchiveError('it holds a collection with a line break in its name: rename it');
    if (names.has(collection)) return;
    names.add(collection);
    nameBytes += Buffer.byteLength(collection);
    if (nameBytes > MOST_NAME_BYTES) throw new ArchiveError('it holds more collections than a record of it can name');
  };
  const count = (collection: string, more: number): void => {
    const name = collection.startsWith(BUCKETS) ? collection.slice(BUCKETS.length) : collection;
    if (!expiring.has(name)) figures.set(name, (figures.get(name) ?? 0) + more);
  };
  const takeMetadata = (document: unknown): void => {
    const { db, collection, metadata: json, type } = parsed(metadata, document);
    requireOwn(db, collection);
    if (type === 'view') {
      count(collection, 0);
      return;
    }
    const { indexes, options } = parsed(described, json === '' ? DROPPED : parseJson(json));
    if (isExpiring([options ?? {}, ...indexes])) expiring.add(collection);
    count(collection, 0);
    figures.set(indexesOf(collection), indexes.length);
  };
  const takeHeader = (document: unknown): void => {
    const { db, collection, EOF } = parsed(header, document);
    requireOwn(db, collection);
    current = EOF ? null : collection;
    if (EOF) open.delete(collection);
    else open.add(collection);
  };
  /** What becomes of the document that begins: whether it is parsed, or passes by. */
  const begin = (bytes: number): ((document: Uint8Array) => void) | null => {
    if (place.endsWith('header') && bytes > MOST_HEADER_BYTES) throw new ArchiveError('it is no archive of mongodump');
    if (place === 'prelude header') return () => undefined;
    if (place === 'prelude') return (document) => takeMetadata(deserialize(document));
    if (place === 'header') return (document) => takeHeader(deserialize(document));
    if (current === null) throw new ArchiveError('it holds documents of no collection');
    count(current, 1);
    return null;
  };
  const endDocument = (): void => {
    place = place === 'prelude header' ? 'prelude' : place === 'header' ? 'body' : place;
  };
  const endBlock = (): void => {
    if (place === 'header' || place === 'prelude header') throw new ArchiveError('it has a block without a header');
    place = 'header';
  };
  const cutter = createCutter({ begin, endDocument, endBlock });
  return {
    write(bytes) {
      hasMagic = cutter.write(bytes, hasMagic) || hasMagic;
    },
    end() {
      if (!hasMagic || !cutter.isBetween() || place !== 'header' || open.size > 0)
        throw new ArchiveError('it is cut off');
      return Object.fromEntries(figures);
    },
  };
}

/** Under which name the figures of a collection have its indexes: no collection has a `$` in its name. */
export function indexesOf(collection: string): string {
  return `${collection}.$indexes`;
}

/**
 * Whether the options of a collection, or one of its indexes, let the server delete documents as they age. Then it has other
 * ones at any moment, also in a database that was just restored: of such a collection the figures have its indexes alone.
 */
export function isExpiring(optionsAndIndexes: readonly { readonly expireAfterSeconds?: unknown }[]): boolean {
  return optionsAndIndexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
}

/** Collections that a service does not have: users, roles, and what the server keeps of the database. */
export function isOfServer(collection: string): boolean {
  if (collection === 'system.js' || collection.startsWith(BUCKETS)) return false;
  return collection.startsWith('system.') || collection.includes('$') || collection === '';
}

interface Cuts {
  readonly begin: (bytes: number) => ((document: Uint8Array) => void) | null;
  readonly endDocument: () => void;
  readonly endBlock: () => void;
}

/** Cuts bytes into documents and ends of blocks, wherever one chunk ends and the next begins. */
function createCutter({ begin, endDocument, endBlock }: Cuts) {
  let length: Buffer = NOTHING;
  /** Of the document that is being read: what is still to come, and its bytes where somebody takes it. */
  let left = 0;
  let take: ((document: Uint8Array) => void) | null = null;
  let kept: Uint8Array[] = [];

  const startDocument = (size: number): void => {
    if (size < FEWEST_BYTES || size > MOST_BYTES) throw new ArchiveError('it is no archive of mongodump');
    take = begin(size);
    kept = take === null ? [] : [Buffer.from(length)];
    left = size - LENGTH_BYTES;
  };
  /** The next four bytes, as far as they are there. */
  const readLength = (chunk: Buffer, at: number): number => {
    if (length.length === 0 && chunk.length - at >= LENGTH_BYTES) {
      length = chunk.subarray(at, at + LENGTH_BYTES);
      return at + LENGTH_BYTES;
    }
    const missing = LENGTH_BYTES - length.length;
    length = Buffer.concat([length, chunk.subarray(at, at + missing)]);
    return at + Math.min(missing, chunk.length - at);
  };
  const readDocument = (chunk: Buffer, at: number): number => {
    const part = Math.min(left, chunk.length - at);
    if (take !== null) kept.push(Buffer.from(chunk.subarray(at, at + part)));
    left -= part;
    if (left === 0) {
      take?.(Buffer.concat(kept));
      kept = [];
      length = NOTHING;
      endDocument();
    }
    return at + part;
  };
  /** What four bytes say, where a document or the end of a block begins. */
  const takeLength = (value: number): void => {
    if (value !== TERMINATOR) {
      startDocument(value);
      return;
    }
    length = NOTHING;
    endBlock();
  };
  return {
    /** @returns true when the magic number was among the bytes */
    write(bytes: Uint8Array, hasMagic: boolean): boolean {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let isKnown = hasMagic;
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          at = readDocument(chunk, at);
          continue;
        }
        at = readLength(chunk, at);
        if (length.length < LENGTH_BYTES) break;
        const value = length.readUInt32LE(0);
        if (isKnown) takeLength(value);
        else if (value !== MAGIC) throw new ArchiveError('it is no archive of mongodump');
        else length = NOTHING;
        isKnown = true;
      }
      return isKnown;
    },
    /** Whether the last document, or end of a block, is whole. */
    isBetween: (): boolean => left === 0 && length.length === 0,
  };
}

/** What a document says that says everything once: of a field that is there twice, two programs may read two values. */
function deserialize(bytes: Uint8Array): unknown {
  try {
    const document = BSON.deserialize(bytes, { promoteValues: false });
    if (BSON.calculateObjectSize(document) === bytes.byteLength) return document;
  } catch (cause) {
    throw new ArchiveError('it is no archive of mongodump', { cause });
  }
  throw new ArchiveError('it is no archive of mongodump');
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new ArchiveError('it is no archive of mongodump', { cause: error });
  return data;
}
