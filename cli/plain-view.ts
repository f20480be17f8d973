import {
  type BuildView,
  countedLine,
  createStepLedger,
  logLine,
  stepLines,
  type ViewOptions,
  waitingLines,
} from './build-view.ts';
import type { Output } from './output.ts';
import type { StepReply } from './replies.ts';

/** The record of a build may be ahead of its log: so long an ended step waits for its last lines. */
const GRACE_MS = 700;

/** Follows a build without a terminal: plain lines, each step below its log, no control codes. */
export function createPlainView(output: Output, options: ViewOptions): BuildView {
  const report = createStepLedger(options.verbose);
  let status: string | null = null;
  let waiting = '';
  let ended: { step: StepReply; seenAt: number }[] = [];
  const flush = (due: (entry: { step: StepReply; seenAt: number }) => boolean): void => {
    const waiting = ended.findIndex((entry) => !due(entry));
    const ready = waiting === -1 ? ended : ended.slice(0, waiting);
    ended = ended.slice(ready.length);
    for (const { step } of ready) {
      for (const line of stepLines(step, new Date(), output.paint)) output.print(line);
    }
  };
  return {
    update: (build) => {
      if (build.status === 'queued' && status === null) output.note('Queued');
      status = build.status;
      const waits = waitingLines(build);
      // With the log, its lines say so.
      if (!options.logs && waits.join() !== waiting) for (const line of waits) output.print(line);
      waiting = waits.join();
      const now = Date.now();
      ended.push(...report(build).map((step) => ({ step, seenAt: now })));
      flush((entry) => now - entry.seenAt >= (options.logs ? GRACE_MS : 0));
    },
    line: (line) => {
      if (!options.logs) return;
      if (ended.some((entry) => entry.step.key === line.step)) flush((entry) => entry.step.key !== line.step);
      else if (line.step !== null) flush(() => true);
      output.print(logLine(line, null, output.paint));
    },
    lost: (reason) => output.note(`Connection lost (${reason}); trying again for up to a minute`),
    back: () => output.note('Connected again'),
    end: (build) => {
      flush(() => true);
      const counted = options.verbose ? null : countedLine(build.steps ?? [], output.paint);
      if (counted !== null) output.print(counted);
    },
    close: () => {},
  };
}

/** Follows a build with `--quiet`: says nothing, the summary at the end is enough. */
export function createSilentView(): BuildView {
  const nothing = (): void => {};
  return { update: nothing, line: nothing, lost: nothing, back: nothing, end: nothing, close: nothing };
}
