import type { NewLogLine } from './log-line.ts';

/** How much of a build's log is kept. */
export interface LogLimits {
  readonly lines: number;
  readonly bytes: number;
  readonly lineBytes: number;
  /** Lines that still get in past the cap, in each of two reserves. */
  readonly reserve: number;
}

export const DEFAULT_LOG_LIMITS: LogLimits = {
  lines: 50_000,
  bytes: 10 * 1024 * 1024,
  lineBytes: 16 * 1024,
  reserve: 100,
};

/** The first lines that still fit into a log that holds `kept.seq` lines of `kept.bytes` bytes. */
export function fittingPrefix(
  lines: readonly NewLogLine[],
  kept: { readonly seq: number; readonly bytes: number },
  limits: LogLimits,
): readonly NewLogLine[] {
  let { bytes } = kept;
  let count = 0;
  for (const line of lines.slice(0, Math.max(0, limits.lines - kept.seq))) {
    bytes += Buffer.byteLength(line.text);
    if (bytes > limits.bytes) break;
    count += 1;
  }
  return lines.slice(0, count);
}

export function bytesOf(lines: readonly NewLogLine[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line.text), 0);
}

/**
 * The reserve that a line past the cap takes a place of; null for a line that is dropped. Lines about the build as a
 * whole and errors of steps have a reserve each, so that neither starves the other.
 */
export function reserveOf(line: NewLogLine): 'tailLines' | 'tailErrors' | null {
  if (line.step === null) return 'tailLines';
  return line.level === 'error' ? 'tailErrors' : null;
}

/** The line that says that a log is full. */
export function capNotice(time: Date, { lines, bytes }: LogLimits): NewLogLine {
  const mebibytes = Math.round(bytes / 1024 / 1024);
  const text = `The log is full (${lines} lines or ${mebibytes} MiB): further output is not kept, except errors`;
  return { time, step: null, level: 'warn', text };
}

/** The line as it is kept: an overlong one is cut, and says how long it was. */
export function cutLine(line: NewLogLine, limitBytes: number): NewLogLine {
  const size = Buffer.byteLength(line.text);
  if (size <= limitBytes) return line;
  // Decoding a cut character yields U+FFFD, which is dropped.
  const kept = Buffer.from(line.text)
    .subarray(0, limitBytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return { ...line, text: `${kept} … (cut: the line had ${size} bytes)` };
}
