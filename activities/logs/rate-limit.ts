import { OUTPUT_STREAMS, type OutputLine, type OutputStream } from '../../domain/logs/output-line.ts';

/** What one workload may have written to its log. */
export interface OutputRate {
  readonly linesPerSecond: number;
  readonly bytesPerSecond: number;
  /** How many seconds of that may come at once. */
  readonly burstSeconds: number;
}

export const OUTPUT_RATE: OutputRate = { linesPerSecond: 1_000, bytesPerSecond: 1024 ** 2, burstSeconds: 10 };

/** Lines that were left out of one stream since the last one that was kept. */
export interface Dropped {
  readonly stream: OutputStream;
  /** Time of the last of them. */
  readonly at: string;
  readonly count: number;
}

/** A clock that is so far back was set back. Lines of two streams are out of order by less. */
const SET_BACK_SECONDS = 5;

export interface RateLimit {
  /** Whether the line is within the rate. */
  admits(line: OutputLine): boolean;
  /** Whether anything was left out since it was taken. */
  hasDropped(): boolean;
  /** What was left out since the last call, of one stream or of both. */
  takeDropped(stream?: OutputStream): Dropped[];
}

/**
 * Bounds what a workload may have written. The clock is that of the lines themselves: what was printed while nobody read
 * is judged as if it were read at once, and read again with the same outcome.
 */
export function createRateLimit({ linesPerSecond, bytesPerSecond, burstSeconds }: OutputRate = OUTPUT_RATE): RateLimit {
  let lines = linesPerSecond * burstSeconds;
  let bytes = bytesPerSecond * burstSeconds;
  let isFull = false;
  let clock = Number.NEGATIVE_INFINITY;
  const dropped = new Map<OutputStream, Dropped>();

  const refill = (at: string): void => {
    const now = Date.parse(at) / 1_000;
    // Else nothing would be free until the clock is where it was.
    if (now < clock - SET_BACK_SECONDS) clock = now;
    const passed = Math.max(0, now - clock);
    if (passed === 0) return;
    clock = now;
    lines = Math.min(linesPerSecond * burstSeconds, lines + passed * linesPerSecond);
    bytes = Math.min(bytesPerSecond * burstSeconds, bytes + passed * bytesPerSecond);
  };

  return {
    admits({ stream, at, text }) {
      refill(at);
      // Once lines are left out, more are until a second's worth is free: lines come in runs, with one notice each.
      if (isFull ? lines >= linesPerSecond && bytes >= bytesPerSecond : lines >= 1 && bytes > 0) {
        isFull = false;
        lines -= 1;
        bytes -= text.length;
        return true;
      }
      isFull = true;
      dropped.set(stream, { stream, at, count: (dropped.get(stream)?.count ?? 0) + 1 });
      return false;
    },
    hasDropped: () => dropped.size > 0,
    takeDropped(stream) {
      const streams = stream === undefined ? OUTPUT_STREAMS : [stream];
      const taken = streams.flatMap((one) => dropped.get(one) ?? []);
      for (const one of streams) dropped.delete(one);
      return taken;
    },
  };
}
