import type { Workload, WorkloadRuntime } from '../../domain/deploys/ports.ts';
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
}

/** Lines that were left out are told of no later than this, whether or not another line comes. */
const TELL_DROPPED_MS = 1_000;

/**
 * Writes what a workload prints to the log of its service, from where the log left off: redacted, printable, and within
 * the rate. Ends when the workload is removed or the signal aborts, with everything written that it has read.
 * @throws what the runtime or the log throws
 */
export async function followWorkload(workload: Workload, deps: FollowDeps): Promise<void> {
  const { runtime, log, onDelay } = deps;
  const failed = new AbortController();
  const signal = AbortSignal.any([deps.signal, failed.signal]);
  const buffer = createLineBuffer({ log, signal: deps.signal, onDelay, onFailure: () => failed.abort() });
  const limit = createRateLimit(deps.rate);
  const from = { release: workload.releaseId, workload: workload.id };
  const notice = ({ stream, at, count }: Dropped): ServiceLogLine => {
    const what = count === 1 ? '1 line was' : `${count} lines were`;
    return { ...from, stream, at, text: `${what} dropped: the service printed too fast`, dropped: count };
  };
  const kept = (line: OutputLine): ServiceLogLine[] => {
    if (!limit.admits(line)) return [];
    return [
      ...limit.takeDropped(line.stream).map(notice),
      { ...from, ...line, text: safeText(line.text, deps.redact) },
    ];
  };
  // A failure is met at the end.
  const tell = (): void => {
    const dropped = limit.takeDropped();
    if (dropped.length > 0) buffer.add(dropped.map(notice)).catch(() => undefined);
  };
  const telling = setInterval(tell, TELL_DROPPED_MS);
  try {
    for await (const lines of runtime.follow(workload, { after: log.position(workload.id), signal })) {
      await buffer.add(lines.flatMap(kept));
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
