import {
  type BuildView,
  countedLine,
  createStepLedger,
  logLine,
  runningStep,
  stepLines,
  type ViewOptions,
  waitingLines,
} from '../build-view.ts';
import type { Output } from '../output.ts';
import type { BuildReply, LogLineReply } from '../replies.ts';
import { createLiveRegion } from './live-region.ts';
import { elapsedMs, formatDuration } from './times.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Log lines shown below the running step; they give way to its one line when it ends. */
const VISIBLE_LOGS = 6;

/**
 * Follows a build on a terminal: ended steps stay as one line each; below them the running step with a spinner, its
 * elapsed time and its latest log lines.
 */
export function createLiveView(output: Output, options: ViewOptions): BuildView {
  const { paint } = output;
  const region = createLiveRegion(output);
  const report = createStepLedger(options.verbose);
  let latest: BuildReply | null = null;
  let tail: LogLineReply[] = [];
  let away = false;
  let frame = 0;

  const draw = (): void => {
    if (latest === null) return;
    const logs = options.logs && !options.verbose ? tail : [];
    const waits = waitingLines(latest).map((line) => paint('warn', line));
    region.draw([headline(latest), ...waits, ...logs.map((line) => logLine(line, output.columns - 1, paint))]);
  };
  const headline = (build: BuildReply): string => {
    const spinner = paint('link', FRAMES[frame % FRAMES.length] ?? '');
    if (away) return `${spinner} ${paint('warn', 'The builder API does not answer; waiting for it')}`;
    const step = runningStep(build);
    const since = step === null ? build.createdAt : step.startedAt;
    const elapsed = formatDuration(elapsedMs(since, null, new Date()) ?? 0);
    const title = step?.title ?? (build.status === 'queued' ? 'Waiting for a build slot' : 'Next step');
    return `${spinner} ${title}  ${paint('dim', elapsed)}`;
  };
  const timer = setInterval(() => {
    frame += 1;
    draw();
  }, FRAME_MS);

  return {
    update: (build) => {
      latest = build;
      const ended = report(build);
      for (const step of ended) region.print(stepLines(step, new Date(), paint));
      if (ended.length > 0) {
        const running = runningStep(build)?.key;
        tail = tail.filter((line) => line.step === running);
      }
      draw();
    },
    line: (line) => {
      if (options.verbose && options.logs) region.print([logLine(line, null, paint)]);
      tail = [...tail, line].slice(-VISIBLE_LOGS);
      draw();
    },
    lost: () => {
      away = true;
      draw();
    },
    back: () => {
      away = false;
      draw();
    },
    end: (build) => {
      clearInterval(timer);
      const counted = options.verbose ? null : countedLine(build.steps ?? [], paint);
      region.print(counted === null ? [] : [counted]);
      region.close();
    },
    close: () => {
      clearInterval(timer);
      region.close();
    },
  };
}
