import { CUT_MARK } from './cut-line.ts';

/** The two outputs of a workload. */
export const OUTPUT_STREAMS = ['out', 'error'] as const;
export type OutputStream = (typeof OUTPUT_STREAMS)[number];

/** A line that a workload wrote, as its runtime hands it out: not redacted, and with whatever characters it has. */
export interface OutputLine {
  /** When the runtime received it: RFC 3339 in UTC with nine decimals, so that the order of texts is that of times. */
  readonly at: string;
  readonly stream: OutputStream;
  /** Without its line end. Of an overlong line the beginning alone, which ends with {@link CUT_MARK}. */
  readonly text: string;
  /** Lines before it may be missing: the runtime did not keep them until they were read. */
  readonly afterGap?: true;
}

/** Up to where the output of a workload is known: the time of the last line of each stream. */
export type OutputPosition = Readonly<Partial<Record<OutputStream, string>>>;

/** A moment as lines have it: as exact as it is given, to the nanosecond. @param moment an ISO time */
export function outputTime(moment: string): string {
  const [, second, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(moment) ?? [];
  if (second !== undefined) return `${second}.${fraction.slice(0, 9).padEnd(9, '0')}Z`;
  return new Date(moment).toISOString().replace('Z', '000000Z');
}

/** How many lines of a log may be asked for at once. */
export const MAX_LOG_LINES = 1_000;

/** How much of a line is kept, in bytes of UTF-8. */
export const OUTPUT_LINE_BYTES = 16 * 1024;

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a line of which at most one byte more than is kept need be given; an overlong one is cut between two characters. */
export function outputText(bytes: Uint8Array): string {
  if (bytes.length <= OUTPUT_LINE_BYTES) return DECODER.decode(bytes);
  // Decoding a cut character yields U+FFFD, which is dropped.
  return DECODER.decode(bytes.subarray(0, OUTPUT_LINE_BYTES)).replace(/\uFFFD$/, '') + CUT_MARK;
}

/** The position after a line. */
export function positionAfter(position: OutputPosition, { stream, at }: OutputLine): OutputPosition {
  return { ...position, [stream]: at };
}

/** True for a line that comes after the position. Lines of one stream are in the order of their times. */
export function isAfter(position: OutputPosition, { stream, at }: OutputLine): boolean {
  return at > (position[stream] ?? '');
}

/**
 * Takes the lines that come after a position, of those that a runtime hands out from a little before it. The first one is
 * marked where the last known line of all does not come before it: then the runtime keeps no more what stood between the two.
 */
export function linesAfter(position: OutputPosition): (lines: readonly OutputLine[]) => OutputLine[] {
  const known = Object.values(position).sort().at(-1) ?? '';
  let isJoined = known === '';
  return (lines) =>
    lines.flatMap((line) => {
      const isNew = isAfter(position, line);
      const isMarked = isNew && !isJoined && line.at > known;
      isJoined ||= line.at >= known;
      if (!isNew) return [];
      return [isMarked ? { ...line, afterGap: true } : line];
    });
}
