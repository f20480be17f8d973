import { BSON } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';

/**
 * A part of the platform as a stream: one byte says what follows, and then comes a BSON document. `C` begins a collection, `D` is a document of
 * it, and `E` ends the stream with how many documents each collection had. In a folder a file is a collection, and its documents are its pieces.
 */
export const FRAMES = { collection: 0x43, document: 0x44, end: 0x45 } as const;

export interface Frame {
  readonly kind: number;
  /** A BSON document. */
  readonly bytes: Buffer;
}

const KINDS: readonly number[] = Object.values(FRAMES);
/** A document has 16 MiB at most, and a server adds to that for its own. */
const LONGEST = 17 * 1024 ** 2;
const SHORTEST = 5;

export function frame(kind: number, document: Uint8Array): readonly Uint8Array[] {
  return [Uint8Array.of(kind), document];
}

export function describingFrame(kind: number, value: BSON.Document): readonly Uint8Array[] {
  return frame(kind, BSON.serialize(value));
}

/** @throws NOT_RESTORABLE for what is no such stream, or is cut off within a frame */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let held = Buffer.alloc(0);
  for await (const piece of body) {
    held = held.length === 0 ? Buffer.from(piece) : Buffer.concat([held, piece]);
    let begin = 0;
    for (;;) {
      const length = lengthAt(held, begin);
      if (length === null || held.length < begin + 1 + length) break;
      yield { kind: held[begin] ?? 0, bytes: held.subarray(begin + 1, begin + 1 + length) };
      begin += 1 + length;
    }
    held = held.subarray(begin);
  }
  if (held.length > 0) throw damaged();
}

/** Null where it has not come yet. */
function lengthAt(held: Buffer, begin: number): number | null {
  if (held.length < begin + 1 + SHORTEST) return null;
  const length = held.readInt32LE(begin + 1);
  if (!KINDS.includes(held[begin] ?? 0) || length < SHORTEST || length > LONGEST) throw damaged();
  return length;
}

export function damaged(): FairleadError {
  return new FairleadError('NOT_RESTORABLE', 'A part of the backup is not as backups of the platform write it');
}

/** Ends a stream. @param counts of its collections, in their order */
export function endFrame(counts: readonly { readonly name: string; readonly count: number }[]): readonly Uint8Array[] {
  return describingFrame(FRAMES.end, { counts });
}

/** Reads the stream of a part to its end, and writes nothing. @throws NOT_RESTORABLE */
export async function checkFrames(body: AsyncIterable<Uint8Array>): Promise<void> {
  await eachFrame(body, { begin: async () => {}, document: async () => {}, end: async () => {} });
}

export interface FrameWork {
  begin(begun: { readonly name: string; readonly options: BSON.Document }): Promise<void>;
  document(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
}

const beginSchema = z.object({ name: z.string().min(1), options: z.record(z.string(), z.unknown()) });
const endSchema = z.object({ counts: z.array(z.object({ name: z.string(), count: z.int() })) });

/** @throws NOT_RESTORABLE where it has no end, something after it, or other counts than that says */
export async function eachFrame(body: AsyncIterable<Uint8Array>, work: FrameWork): Promise<void> {
  const counts: { name: string; count: number }[] = [];
  let hasEnded = false;
  for await (const { kind, bytes } of readFrames(body)) {
    if (hasEnded) throw damaged();
    const current = counts.at(-1);
    if (kind === FRAMES.collection) {
      const begun = described(beginSchema, bytes);
      counts.push({ name: begun.name, count: 0 });
      await work.begin(begun);
    } else if (kind === FRAMES.document && current !== undefined) {
      current.count += 1;
      await work.document(bytes);
    } else if (kind === FRAMES.end) {
      hasEnded = true;
      const { counts: told } = described(endSchema, bytes);
      if (JSON.stringify(told) !== JSON.stringify(counts)) throw damaged();
      await work.end();
    } else throw damaged();
  }
  if (!hasEnded) throw new FairleadError('NOT_RESTORABLE', 'A part of the backup is cut off');
}

function described<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  const { data } = schema.safeParse(BSON.deserialize(bytes));
  if (data === undefined) throw damaged();
  return data;
}
