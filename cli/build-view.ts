import type { BuildReply, LogLineReply, StepReply } from './replies.ts';
import { fit, type Paint, printable, type Tone } from './terminal/style.ts';
import { elapsedMs, formatDuration } from './terminal/times.ts';

/** Shows a build while it is followed. */
export interface BuildView {
  /** The record as it is now; called again whenever it may have changed. */
  update(build: BuildReply): void;
  line(line: LogLineReply): void;
  lost(reason: string): void;
  back(): void;
  /** The build has ended; nothing is shown after this. */
  end(build: BuildReply): void;
  /** Leaves the terminal in order, whatever happened. */
  close(): void;
}

export interface ViewOptions {
  readonly logs: boolean;
  /** List the steps that did not run one by one, and keep every log line on the terminal. */
  readonly verbose: boolean;
}

const MARKS: Readonly<Record<StepReply['state'], { mark: string; tone: Tone }>> = {
  pending: { mark: '·', tone: 'dim' },
  running: { mark: '›', tone: 'plain' },
  completed: { mark: '✓', tone: 'good' },
  skipped: { mark: '–', tone: 'dim' },
  reused: { mark: '↺', tone: 'dim' },
  failed: { mark: '✗', tone: 'bad' },
  warned: { mark: '!', tone: 'warn' },
  cancelled: { mark: '✗', tone: 'warn' },
};

const ENDED: ReadonlySet<StepReply['state']> = new Set(['completed', 'reused', 'failed', 'warned', 'cancelled']);

/** Steps that did not run. Most builds have many; they are counted, and listed with --verbose. */
const COUNTED = [
  { state: 'reused', mark: MARKS.reused.mark, done: 'done before' },
  { state: 'skipped', mark: MARKS.skipped.mark, done: 'not needed' },
] as const;

/** `✓ Build image  4.2s`, with the reason and the warnings where there are any. */
export function stepLines(step: StepReply, now: Date, paint: Paint): string[] {
  const { mark, tone } = MARKS[step.state];
  const ms = elapsedMs(step.startedAt, step.finishedAt, now);
  const duration = ms === null ? '' : `  ${paint('dim', formatDuration(ms))}`;
  const reason =
    typeof step.reason === 'string' && step.reason !== '' ? paint('dim', `  ${printable(step.reason)}`) : '';
  const quiet = step.state === 'skipped' || step.state === 'pending';
  const title = quiet ? paint('dim', step.title) : step.title;
  const warnings = (step.warnings ?? []).map((warning) => `  ${paint('warn', `! ${printable(warning)}`)}`);
  return [`${paint(tone, mark)} ${title}${duration}${reason}`, ...warnings];
}

/** One dim line for the steps that did not run, and null when all did. */
export function countedLine(steps: readonly StepReply[], paint: Paint): string | null {
  const counts = COUNTED.flatMap(({ state, mark, done }) => {
    const count = steps.filter((step) => step.state === state).length;
    return count === 0 ? [] : `${mark} ${count} ${count === 1 ? 'step' : 'steps'} ${done}`;
  });
  return counts.length === 0 ? null : paint('dim', `${counts.join(', ')} (--verbose lists them)`);
}

/** Remembers which steps were reported, so that each ended step is reported once and in order. */
export function createStepLedger(verbose: boolean): (build: BuildReply) => StepReply[] {
  const reported = new Set<string>();
  return (build) => {
    const steps = build.steps ?? [];
    const last = steps.findLastIndex((step) => ENDED.has(step.state) || step.state === 'running');
    const fresh = steps.filter((step, index) => {
      if (reported.has(step.key)) return false;
      // A step that is planned to be skipped is reported when the build has come past it.
      if (step.state === 'skipped') return verbose && index < last;
      return step.state === 'reused' ? verbose : ENDED.has(step.state);
    });
    for (const step of fresh) reported.add(step.key);
    return fresh;
  };
}

/** A log line, indented and dim. Warnings and errors stand out. */
export function logLine(line: LogLineReply, width: number | null, paint: Paint): string {
  const text = `    ${printable(line.text)}`;
  const tone: Tone = line.level === 'error' ? 'bad' : line.level === 'warn' ? 'warn' : 'dim';
  return paint(tone, width === null ? text : fit(text, width));
}

/** What a build waits for and who can end that, a line for each grant; none when it does not wait. */
export function waitingLines({ waiting, blockedGrants = [] }: BuildReply): string[] {
  if (waiting == null) return [];
  const grants = blockedGrants.map(
    ({ id, service, scopes }) =>
      `  ${printable(service)}: ${printable(scopes.join(', '))}; an admin of its org runs \`fairlead grants approve ${printable(id)}\``,
  );
  return [`Waits for grants until ${waiting.until}:`, ...grants];
}

/** The step that runs now, if one does. */
export function runningStep(build: BuildReply): StepReply | null {
  return build.steps?.find((step) => step.state === 'running') ?? null;
}
