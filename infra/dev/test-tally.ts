import { inspect } from 'node:util';

export interface Failure {
  readonly name: string;
  readonly file: string;
  readonly reason: string;
}

/** A test that did not run to its end because it says so itself: skipped, or still to do. */
export interface Skip {
  readonly name: string;
  readonly file: string;
  /** What the test gives as its reason, if it gives one. */
  readonly because: string;
}

/** What became of all tests so far; the parts of a run add to one tally. */
export interface Tally {
  passed: number;
  readonly skips: Skip[];
  readonly failures: Failure[];
  readonly files: { readonly file: string; readonly seconds: number; readonly tests: number }[];
}

export function newTally(): Tally {
  return { passed: 0, skips: [], failures: [], files: [] };
}

/** An event of Node's test runner, with what is read of it here. */
export interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: {
      readonly type?: string;
      readonly error?: { readonly failureType?: string; readonly cause?: unknown; readonly message?: string };
    };
  };
}

/** Adds what an event says of a test; suites and files count only where they are skipped or fail. */
export function addEvent(event: TestEvent, of: { file: string; path: string }, tally: Tally): void {
  if (event.type === 'test:pass') addPass(event.data, of, tally);
  if (event.type === 'test:fail') addFailure(event.data, of.file, tally);
}

function addPass(data: TestEvent['data'], { file, path }: { file: string; path: string }, tally: Tally): void {
  const { name = '', details } = data;
  const because = markOf(data);
  if (because !== null) {
    tally.skips.push({ name, file, because });
    return;
  }
  // A file without tests is reported as one that passed, under its own name.
  if (details?.type !== 'suite' && name !== path) tally.passed += 1;
}

function addFailure(data: TestEvent['data'], file: string, tally: Tally): void {
  const { name = '', details } = data;
  const because = isSet(data.todo) ? markOf(data) : null;
  if (because !== null) {
    tally.skips.push({ name, file, because });
    return;
  }
  const error = details?.error;
  // What failed inside is counted for itself.
  if (error?.failureType === 'subtestsFailed') return;
  tally.failures.push({ name, file, reason: reasonOf(error?.cause ?? error?.message ?? 'failed') });
}

/** What a test throws may be anything, and an error whose parts cannot be told between processes comes as another object. */
function reasonOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : inspect(thrown);
}

/** Why a test does not count as run; null when it does. */
function markOf({ skip, todo }: TestEvent['data']): string | null {
  if (isSet(skip)) return typeof skip === 'string' ? skip : 'skipped';
  if (isSet(todo)) return typeof todo === 'string' && todo !== '' ? `to do: ${todo}` : 'to do';
  return null;
}

function isSet(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false;
}
