import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { objectNotFound, objectStoreFull, rangeNotSatisfiable } from '../../../domain/objects/object-errors.ts';
import { checkObjectKey } from '../../../domain/objects/object-key.ts';
import type { ByteRange, ObjectStore } from '../../../domain/objects/ports.ts';
import { untilAborted } from '../../../domain/objects/until-aborted.ts';

export interface InMemoryObjectStore extends ObjectStore {
  readonly keys: () => readonly string[];
  /** Keys of uploads that have begun and not ended. */
  readonly incomplete: () => readonly string[];
  /** Leaves an upload as a process does that is killed. */
  readonly leaveIncomplete: (key: string) => void;
  /** What an address of `downloadUrl` answers; null when it has expired. */
  readonly download: (url: string) => { readonly content: Buffer; readonly fileName: string } | null;
  /** Puts other bytes under a key, as a broken disk does; the rest of what is known of it stays. */
  readonly damage: (key: string, content: Uint8Array) => void;
}

interface Options {
  readonly now?: Clock;
  /** Of the content of all objects together; no limit when it is left out. */
  readonly capacityBytes?: number;
}

interface Kept {
  readonly content: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** A bucket in this process. */
export function createInMemoryObjectStore(options: Options = {}): InMemoryObjectStore {
  const { now = () => new Date(), capacityBytes = Number.POSITIVE_INFINITY } = options;
  const objects = new Map<string, Kept>();
  const uploads = new Map<string, { readonly key: string; readonly startedAt: Date }>();
  const kept = (key: string): Kept => {
    const object = objects.get(checkObjectKey(key));
    if (object === undefined) throw objectNotFound(key);
    return object;
  };
  const sorted = () => [...objects.keys()].sort();
  const usedBytes = () => [...objects.values()].reduce((sum, { content }) => sum + content.length, 0);
  const describe = (key: string, { content, etag, modifiedAt }: Kept) => ({
    key,
    bytes: content.length,
    etag,
    modifiedAt,
  });
  const begin = (key: string): string => {
    const id = randomUUID();
    uploads.set(id, { key, startedAt: now() });
    return id;
  };
  return {
    async put(key, body, { signal, onProgress } = {}) {
      checkObjectKey(key);
      const upload = begin(key);
      try {
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of untilAborted(body, signal)) {
          bytes += chunk.byteLength;
          if (usedBytes() + bytes > capacityBytes) throw objectStoreFull();
          chunks.push(Buffer.from(chunk));
          onProgress?.(bytes);
        }
        const content = Buffer.concat(chunks);
        const sha256 = createHash('sha256').update(content).digest('hex');
        const object = { content, etag: `"${sha256.slice(0, 32)}"`, modifiedAt: now() };
        objects.set(key, object);
        onProgress?.(bytes);
        return { bytes, sha256, etag: object.etag };
      } finally {
        uploads.delete(upload);
      }
    },
    async head(key, { signal } = {}) {
      signal?.throwIfAborted();
      const object = objects.get(checkObjectKey(key));
      return object === undefined ? null : describe(key, object);
    },
    async get(key, { signal, range, etag, reusesMemory = false } = {}) {
      signal?.throwIfAborted();
      const { content, etag: own } = kept(key);
      if (etag !== undefined && etag !== own) {
        throw new FairleadError('CONFLICT', `${key} was replaced while it was read`, { retryable: true });
      }
      const pieces = untilAborted(inPieces(cut(key, content, range)), signal);
      return reusesMemory ? usedUp(pieces) : pieces;
    },
    async *list(prefix, { signal, after = '' } = {}) {
      for (const key of sorted()) {
        signal?.throwIfAborted();
        const object = objects.get(key);
        if (object !== undefined && key.startsWith(prefix) && key > after) yield describe(key, object);
      }
    },
    async delete(key, { signal } = {}) {
      signal?.throwIfAborted();
      objects.delete(checkObjectKey(key));
    },
    async downloadUrl(key, { ttlSeconds, fileName }) {
      const url = new URL(`https://bucket.test/${checkObjectKey(key)}`);
      url.searchParams.set('expires', String(now().getTime() + ttlSeconds * 1_000));
      url.searchParams.set('name', fileName);
      return url.href;
    },
    async abortIncomplete(prefix, startedBefore, { signal } = {}) {
      let aborted = 0;
      for (const [id, { key, startedAt }] of uploads) {
        signal?.throwIfAborted();
        if (!key.startsWith(prefix) || startedAt >= startedBefore) continue;
        uploads.delete(id);
        aborted += 1;
      }
      return aborted;
    },
    ensureBucket: async () => undefined,
    keys: sorted,
    incomplete: () => [...uploads.values()].map(({ key }) => key),
    leaveIncomplete: (key) => void begin(key),
    download(url) {
      const { pathname, searchParams } = new URL(url);
      const object = objects.get(pathname.slice(1));
      if (object === undefined || Number(searchParams.get('expires')) <= now().getTime()) return null;
      return { content: object.content, fileName: searchParams.get('name') ?? '' };
    },
    damage: (key, content) => void objects.set(key, { ...kept(key), content: Buffer.from(content) }),
  };
}

const PIECE_BYTES = 64 * 1024;

async function* inPieces(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += PIECE_BYTES) {
    yield content.subarray(offset, offset + PIECE_BYTES);
  }
}

/** Each piece is overwritten once the next one is asked for: whoever kept it sees that. */
async function* usedUp(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const view = Uint8Array.from(piece);
    yield view;
    view.fill(0xdb);
  }
}

function cut(key: string, content: Buffer, range: ByteRange | undefined): Buffer {
  if (range === undefined) return content;
  const { offset, bytes = content.length } = range;
  if (offset >= content.length) throw rangeNotSatisfiable(key);
  return content.subarray(offset, offset + bytes);
}
