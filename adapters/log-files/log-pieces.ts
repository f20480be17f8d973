import type { LogPlace } from '../../domain/logs/service-log.ts';
import { type RawLine, rawLines } from './log-folder.ts';

/** Before the first file. */
export const START: LogPlace = { file: 0, offset: 0 };

/** Bytes of one read of a follower: more than the longest line takes. */
export const PIECE_BYTES = 256 * 1024;

/** Bytes in which lines of one moment can stand in another order than their times; more than the longest line takes. */
export const DISORDER_BYTES = 64 * 1024;

/** A line as its log has it, with the place behind it. */
export interface Placed {
  readonly next: LogPlace;
}

/** Makes of the bytes of a line what it says; null for what is none. */
export type Decode<S> = (raw: RawLine) => S | null;

/** The lines that begin in a piece: what stands before its first line end began earlier, unless the file begins there. */
export function linesFrom(piece: Buffer, start: LogPlace, isCut = start.offset > 0): readonly RawLine[] {
  const lines = rawLines(piece, start);
  return isCut ? lines.slice(1) : lines;
}
