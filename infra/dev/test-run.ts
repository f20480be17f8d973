import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { projectRoot } from './project.ts';

export interface Failure {
  readonly name: string;
  readonly file: string;
  readonly reason: string;
}

/** What became of all tests so far; the parts of a run add to one tally. */
export interface Tally {
  passed: number;
  skipped: number;
  readonly failures: Failure[];
  readonly durations: { readonly name: string; readonly ms: number }[];
}

export interface RunFilesOptions {
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Event = Parameters<Parameters<ReturnType<typeof run>['on']>[1]>[0];

interface TestEvent {
  readonly name: string;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: {
    readonly duration_ms: number;
    readonly type?: string;
    readonly error?: { readonly failureType?: string; readonly cause?: unknown; readonly message?: string };
  };
}

/** Runs test files, each in a process of its own, streams a readable report and adds every outcome to the tally. */
export async function runFiles(options: RunFilesOptions, tally: Tally): Promise<void> {
  if (options.files.length === 0) return;
  const stream = run({
    files: [...options.files],
    concurrency: options.concurrency,
    timeout: options.timeoutMs,
    signal: options.signal,
    cwd: projectRoot,
  });
  stream.on('test:pass', (event: Event) => recordPass(event as TestEvent, options.files, tally));
  stream.on('test:fail', (event: Event) => recordFail(event as TestEvent, tally));
  for await (const text of stream.compose(spec())) process.stdout.write(String(text));
}

function recordPass(event: TestEvent, files: readonly string[], tally: Tally): void {
  // A file without tests is reported as one that passed, under its own name.
  const isFile = files.some((file) => file === event.name || file.endsWith(`/${event.name}`));
  if (event.details.type === 'suite' || isFile) return;
  if (isSet(event.skip) || isSet(event.todo)) {
    tally.skipped += 1;
    return;
  }
  tally.passed += 1;
  tally.durations.push({ name: event.name, ms: event.details.duration_ms });
}

function recordFail(event: TestEvent, tally: Tally): void {
  const { error } = event.details;
  if (isSet(event.todo)) {
    tally.skipped += 1;
    return;
  }
  // What failed inside is counted for itself.
  if (error?.failureType === 'subtestsFailed') return;
  const cause = error?.cause;
  const reason = cause instanceof Error ? cause.message : String(cause ?? error?.message ?? 'failed');
  tally.failures.push({ name: event.name, file: relative(projectRoot, event.file ?? ''), reason });
}

function isSet(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false;
}
