import { type BuildView, createStepLedger, logLine, skippedLine, stepLines, type ViewOptions } from './build-view.ts';
import type { Output } from './output.ts';

/** Follows a build without a terminal: plain lines in the order of events, no control codes. */
export function createPlainView(output: Output, options: ViewOptions): BuildView {
  const report = createStepLedger(options.verbose);
  let status: string | null = null;
  return {
    update: (build) => {
      if (build.status === 'queued' && status === null) output.note('Queued');
      status = build.status;
      for (const step of report(build)) {
        for (const line of stepLines(step, new Date(), output.paint)) output.print(line);
      }
    },
    line: (line) => {
      if (options.logs) output.print(logLine(line, null, output.paint));
    },
    lost: (reason) => output.note(`Connection lost (${reason}); trying again for up to a minute`),
    back: () => output.note('Connected again'),
    end: (build) => {
      const skipped = options.verbose ? null : skippedLine(build.steps ?? [], output.paint);
      if (skipped !== null) output.print(skipped);
    },
    close: () => {},
  };
}

/** Follows a build with `--quiet`: says nothing, the summary at the end is enough. */
export function createSilentView(): BuildView {
  const nothing = (): void => {};
  return { update: nothing, line: nothing, lost: nothing, back: nothing, end: nothing, close: nothing };
}
