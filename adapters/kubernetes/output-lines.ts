import { OUTPUT_LINE_BYTES, type OutputLine, outputText, outputTime } from '../../domain/logs/output-line.ts';

const LINE_END = 0x0a;
const BLANK = 0x20;
/** A time with nine decimals and its zone, and a blank; the cluster leaves zeros at the end out. */
const STAMP_BYTES = 36;
/** One byte more than is kept tells that a line is longer. */
const LINE_BYTES = STAMP_BYTES + OUTPUT_LINE_BYTES + 1;

export interface LineReader {
  /** The lines that a piece of the stream completes. */
  read(piece: Buffer): OutputLine[];
  /** The line that has no end, once no more comes. */
  rest(): OutputLine[];
}

/**
 * Reads the output of a container with times, piece by piece. The cluster keeps both streams as one, so every line counts as of
 * the first. Holds 16 KiB of a line at most, however long it is.
 */
export function createLineReader(): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (bytes: Buffer): void => {
    const kept = bytes.subarray(0, Math.max(0, LINE_BYTES - size));
    // A copy: the piece that it is in is larger.
    if (kept.length > 0) parts.push(Buffer.from(kept));
    size += kept.length;
  };
  const complete = (): OutputLine[] => {
    const line = Buffer.concat(parts);
    parts = [];
    size = 0;
    const blank = line.indexOf(BLANK);
    if (blank <= 0) return [];
    const at = outputTime(line.toString('latin1', 0, blank));
    return [{ at, stream: 'out', text: outputText(line.subarray(blank + 1)) }];
  };
  return {
    read(piece) {
      const lines: OutputLine[] = [];
      let from = 0;
      for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, from)) {
        take(piece.subarray(from, end));
        lines.push(...complete());
        from = end + 1;
      }
      take(piece.subarray(from));
      return lines;
    },
    rest: complete,
  };
}
