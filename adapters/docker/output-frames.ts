import { OUTPUT_LINE_BYTES, type OutputLine, type OutputStream, outputText } from '../../domain/logs/output-line.ts';

const HEADER_BYTES = 8;
const LINE_END = 0x0a;
const BLANK = 0x20;
/** `2026-01-01T00:00:00.000000000Z` and a blank. */
const STAMP_BYTES = 31;
/** The engine's frames have 16 KiB and the time; of one that has more, the rest is left out. */
const FRAME_BYTES = 64 * 1024;
/** One byte more than is kept tells that a line is longer. */
const LINE_BYTES = OUTPUT_LINE_BYTES + 1;

/** The frame under way. */
interface Frame {
  readonly stream: OutputStream;
  left: number;
  bytes: number;
  readonly parts: Buffer[];
  last: number;
}

/** The line under way of a stream. */
interface OpenLine {
  readonly at: string;
  readonly parts: Buffer[];
  bytes: number;
}

export interface OutputReader {
  /** The lines that a piece of the stream completes. */
  read(piece: Buffer): OutputLine[];
  /** The lines that have no end, once no more comes. */
  rest(): OutputLine[];
}

/**
 * Reads the engine's multiplexed stream with times, piece by piece: frames of one stream each, of which a line of more
 * than 16 KiB takes several, between which those of the other stream may stand. Holds 16 KiB of a line at most, however
 * long it is.
 */
export function createOutputReader(): OutputReader {
  let header: Buffer = Buffer.alloc(0);
  let frame: Frame | null = null;
  const open = new Map<OutputStream, OpenLine>();

  /** The line that a frame completes; null when it goes on in another one. */
  const complete = (stream: OutputStream, whole: Buffer, last: number): OutputLine | null => {
    const { at, text } = readFrame(whole, last);
    const before = open.get(stream);
    // As almost all are.
    if (before === undefined && last === LINE_END)
      return { at, stream, text: outputText(text.subarray(0, LINE_BYTES)) };
    const line = before ?? { at, parts: [], bytes: 0 };
    const kept = text.subarray(0, LINE_BYTES - line.bytes);
    line.bytes += kept.length;
    if (last === LINE_END) {
      open.delete(stream);
      return asLine(stream, { ...line, parts: [...line.parts, kept] });
    }
    // A copy: the piece that it is in is larger, and the line may be under way for long.
    line.parts.push(Buffer.from(kept));
    open.set(stream, line);
    return null;
  };

  /** Takes what there is of a frame that began in an earlier piece, or goes on in a later one. @returns where to go on */
  const takePart = (piece: Buffer, at: number, add: (line: OutputLine | null) => void): number => {
    if (frame === null) {
      const taken = piece.subarray(at, at + HEADER_BYTES - header.length);
      header = Buffer.concat([header, taken]);
      if (header.length < HEADER_BYTES) return at + taken.length;
      frame = beginFrame(header);
      header = Buffer.alloc(0);
      at += taken.length;
    }
    const taken = piece.subarray(at, at + frame.left);
    addTo(frame, taken);
    if (frame.left === 0) {
      if (frame.bytes > 0) add(complete(frame.stream, joined(frame.parts), frame.last));
      frame = null;
    }
    return at + taken.length;
  };

  return {
    read(piece) {
      const lines: OutputLine[] = [];
      const add = (line: OutputLine | null): void => {
        if (line !== null) lines.push(line);
      };
      for (let at = 0; at < piece.length; ) {
        const whole = frame === null && header.length === 0 ? wholeFrame(piece, at) : null;
        if (whole === null) {
          at = takePart(piece, at, add);
          continue;
        }
        add(complete(streamOf(piece, at), whole, whole.at(-1) ?? 0));
        at += HEADER_BYTES + whole.length;
      }
      // What is kept of an unfinished frame must not hold the whole piece.
      frame?.parts.splice(0, frame.parts.length, Buffer.concat(frame.parts));
      return lines;
    },
    rest() {
      const lines = [...open].map(([stream, line]) => asLine(stream, line));
      open.clear();
      return lines;
    },
  };
}

/** The bytes of the frame that begins there, when the piece has all of it. */
function wholeFrame(piece: Buffer, at: number): Buffer | null {
  const from = at + HEADER_BYTES;
  if (from > piece.length) return null;
  const length = piece.readUInt32BE(at + 4);
  return length > 0 && length <= FRAME_BYTES && from + length <= piece.length
    ? piece.subarray(from, from + length)
    : null;
}

function streamOf(bytes: Buffer, at: number): OutputStream {
  return bytes.readUInt8(at) === 2 ? 'error' : 'out';
}

function beginFrame(header: Buffer): Frame {
  const stream = streamOf(header, 0);
  return { stream, left: header.readUInt32BE(4), bytes: 0, parts: [], last: 0 };
}

function addTo(frame: Frame, taken: Buffer): void {
  const kept = taken.subarray(0, FRAME_BYTES - frame.bytes);
  if (kept.length > 0) frame.parts.push(kept);
  frame.bytes += kept.length;
  frame.left -= taken.length;
  frame.last = taken.at(-1) ?? frame.last;
}

/** The time of a frame and its text, without its line end. */
function readFrame(whole: Buffer, last: number): { readonly at: string; readonly text: Buffer } {
  const isStamped = whole[STAMP_BYTES - 1] === BLANK;
  const end = last === LINE_END && whole.at(-1) === LINE_END ? -1 : undefined;
  return { at: whole.toString('latin1', 0, STAMP_BYTES - 1), text: whole.subarray(isStamped ? STAMP_BYTES : 0, end) };
}

function asLine(stream: OutputStream, { at, parts }: OpenLine): OutputLine {
  return { at, stream, text: outputText(joined(parts)) };
}

function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}
