import type { Socket } from 'node:net';
import { cutOff } from './finding.ts';

/** Reads a socket in pieces of known lengths, and never holds much more than the longest of them. */
export function createByteReader(socket: Socket): (bytes: number) => Promise<Buffer> {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  return async (bytes) => {
    while (held.length < bytes) {
      const { value, done } = await chunks.next();
      if (done === true) throw cutOff();
      held = Buffer.concat([held, value]);
    }
    const piece = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return piece;
  };
}
