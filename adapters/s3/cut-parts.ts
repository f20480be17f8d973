/** S3 takes at most so many parts of one upload. */
export const MOST_PARTS = 10_000;
/** After so many parts their size doubles: with parts of 8 MiB at first, an object may have 300 GiB. */
const PARTS_OF_A_SIZE = 2_500;

/** Size of a part of an upload. @param number from 1 @param firstBytes size of the first */
export function partSize(number: number, firstBytes: number): number {
  return firstBytes * 2 ** Math.floor((number - 1) / PARTS_OF_A_SIZE);
}

/** Memory for the parts of one upload, which is used again: the collector sees no new buffer for each of them. */
export interface PartMemory {
  take(bytes: number): Buffer;
  /** A part, or the beginning of one, that nobody reads any more. */
  giveBack(part: Buffer): void;
}

export function createPartMemory(): PartMemory {
  const free: ArrayBuffer[] = [];
  return {
    take(bytes) {
      // Parts grow: what is too small for this one is for none after it.
      while (free.length > 0) {
        const memory = free.pop();
        if (memory?.byteLength === bytes) return Buffer.from(memory);
      }
      return Buffer.from(new ArrayBuffer(bytes));
    },
    giveBack: (part) => void free.push(part.buffer as ArrayBuffer),
  };
}

/**
 * Cuts a stream into the parts of an upload. Each is a copy, of which all but the last are full: the memory of a chunk may
 * be used again once the next one is asked for. A stream without a byte is one empty part.
 * @param memory of the parts
 */
export async function* cutParts(
  body: AsyncIterable<Uint8Array>,
  firstBytes: number,
  memory: PartMemory,
): AsyncGenerator<Buffer, void> {
  let number = 1;
  let part = memory.take(firstBytes);
  let filled = 0;
  for await (const chunk of body) {
    for (let read = 0; read < chunk.byteLength; ) {
      const taken = chunk.subarray(read, read + part.length - filled);
      part.set(taken, filled);
      filled += taken.byteLength;
      read += taken.byteLength;
      if (filled < part.length) continue;
      yield part;
      number += 1;
      part = memory.take(partSize(number, firstBytes));
      filled = 0;
    }
  }
  if (filled > 0 || number === 1) yield part.subarray(0, filled);
}
