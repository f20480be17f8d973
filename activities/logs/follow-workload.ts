import { setTimeout as delay } from 'node:timers/promises';
import type { Workload, WorkloadRuntime } from '../../domain/deploys/workload-runtime.ts';
import { CUT_MARK } from '../../domain/logs/cut-line.ts';
import type { OutputLine } from '../../domain/logs/output-line.ts';
import { printableText } from '../../domain/logs/printable-text.ts';
import type { OpenServiceLog, ServiceLogLine } from '../../domain/logs/service-log.ts';
import { createLineBuffer } from './line-buffer.ts';
import { createRateLimit, type Dropped, type OutputRate } from './rate-limit.ts';

export interface FollowDeps {
  readonly runtime: Pick<WorkloadRuntime, 'follow'>;
  readonly log: OpenServiceLog;
  /** Takes the secrets of the service, of the release and of the platform out of a line. */
  readonly redact: (line: string) => string;
  readonly signal: AbortSignal;
  readonly onDelay: (error: Error) => void;
  readonly rate?: OutputRate;
  readonly rest?: FloodRest;
}

/** When a workload that floods its log is not read for a while. */
export interface FloodRest {
  /** Lines that were left out since the last rest. */
  readonly afterDropped: number;
  readonly ms: number;
}

/** Lines that were left out are told of no later than this, whether or not another line comes. */
const TELL_DROPPED_MS = 1_000;

const GAP = 'Lines may be missing here: the engine did not keep them until they were read';

/** A line costs the engine and the worker more to read than the workload to print. */
const FLOOD_REST: FloodRest = { afterDropped: 10_000, ms: 5_000 };

/**
 * Writes what a workload prints to the log of its service, from where the log left off: redacted, printable, and within
 * the rate. Of one that prints much more than that, most is left unread: the engine keeps 30 MiB, and what it keeps no
 * more when reading goes on is not counted among the lines that were dropped. Ends when the workload is removed or the signal aborts, with everything written that it has read.
 * @throws what the runtime or the log throws
 */
export async function followWorkload(workload: Workload, deps: FollowDeps): Promise<void> {
  const { runtime, log, onDelay, rest = FLOOD_REST } = deps;
  const failed = new AbortController();
  const signal = AbortSignal.any([deps.signal, failed.signal]);
  const buffer = createLineBuffer({ log, signal: deps.signal, onDelay, onFailure: () => failed.abort() });
  const limit = createRateLimit(deps.rate);
  const from = { release: workload.releaseId, workload: workload.id };
  const notice = ({ stream, at, count }: Dropped): ServiceLogLine => {
    const what = count === 1 ? '1 line was' : `${count} lines were`;
    return { ...from, stream, at, text: `${what} dropped: the service printed too fast`, dropped: count };
  };
  let leftOut = 0;
  const kept = (lines: readonly OutputLine[]): ServiceLogLine[] => {
    const all: ServiceLogLine[] = [];
    for (const line of lines) {
      const { stream, at, text, afterGap } = line;
      if (afterGap === true) all.push({ ...from, stream, at, text: GAP, dropped: 0 });
      if (limit.admits(line)) {
        if (limit.hasDropped()) all.push(...limit.takeDropped(stream).map(notice));
        all.push({ ...from, stream, at, text: safeText(text, deps.redact) });
      } else leftOut += 1;
    }
    return all;
  };
  // A failure is met at the end.
  const tell = (): void => {
    const dropped = limit.takeDropped();
    if (dropped.length > 0) buffer.add(dropped.map(notice)).catch(() => undefined);
  };
  const telling = setInterval(tell, TELL_DROPPED_MS);
  try {
    for await (const lines of runtime.follow(workload, { after: log.position(workload.id), signal })) {
      await buffer.add(kept(lines));
      if (leftOut < rest.afterDropped) continue;
      leftOut = 0;
      await delay(rest.ms, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(telling);
    tell();
    await buffer.flush();
  }
}

/** What a terminal would obey goes first: it could stand in the middle of a secret. */
function safeText(text: string, redact: (line: string) => string): string {
  const shown = redact(printableText(text));
  return text.endsWith(CUT_MARK) ? `${shown} (cut: the line is longer than 16 KiB)` : shown;
}
