import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { killLeft, treesOf } from './process-tree.ts';
import { projectRoot } from './project.ts';
import { addEvent, type Tally, type TestEvent } from './test-tally.ts';

const LOOK_EVERY_MS = 1_000;
/** A test file that is ended early, and the servers that it started, end by themselves within it. */
const GRACE_MS = 5_000;

export interface RunFilesOptions {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** How many may run at once, at least 1; asked again whenever a file ended. */
  readonly concurrency: () => number;
  /** Whether one more may run than that; asked every second while files wait. None may where it is missing. */
  readonly mayRunMore?: (running: number) => boolean;
  /** How long one file may take; its process is ended then. */
  readonly fileLimitMs: number;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** Prints every test instead of one line a file. */
  readonly everyTest?: boolean;
}

/**
 * Runs test files, each in a process of its own, and adds every outcome to the tally. Prints a line for each file that
 * passed, and all that a file wrote which did not.
 */
export async function runFiles(options: RunFilesOptions, tally: Tally): Promise<void> {
  const waiting = [...options.files];
  const running = new Set<Promise<void>>();
  const start = (file: string): void => {
    const ended = runFile(file, options, tally).finally(() => running.delete(ended));
    running.add(ended);
  };
  while (waiting.length > 0 && !options.signal.aborted) {
    for (const file of waiting.splice(0, Math.max(0, options.concurrency() - running.size))) start(file);
    for (const file of options.mayRunMore?.(running.size) ? waiting.splice(0, 1) : []) start(file);
    await Promise.race([...running, nextLook()]);
  }
  await Promise.all(running);
}

/** The time until it is asked again whether one more file may run. */
const nextLook = (): Promise<void> => new Promise((look) => void setTimeout(look, LOOK_EVERY_MS).unref());

async function runFile(path: string, options: RunFilesOptions, tally: Tally): Promise<void> {
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(options.fileLimitMs);
  const signal = AbortSignal.any([options.signal, limit]);
  const end = new AbortController();
  const left = new Promise<readonly string[]>((resolve) => {
    const endTree = async (): Promise<void> => {
      // Looked up before it is told to end: what outlives its parent is nobody's child then.
      resolve(await treesOf(path));
      end.abort();
    };
    if (signal.aborted) void endTree();
    else signal.addEventListener('abort', () => void endTree(), { once: true });
  });
  const stream = run({
    files: [path],
    // Of each test that sets none: the limit of the file ends it, and names it.
    timeout: options.fileLimitMs + GRACE_MS,
    signal: end.signal,
    cwd: projectRoot,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const events: TestEvent[] = [];
  for await (const event of stream) events.push(event as TestEvent);
  if (signal.aborted) await killLeft(await left, GRACE_MS);
  const file = relative(projectRoot, path);
  const before = { passed: tally.passed, failed: tally.failures.length };
  for (const event of events) if (!isAbort(event, path)) addEvent(event, { file, path }, tally);
  const failed = tally.failures.length - before.failed;
  if (limit.aborted) {
    const begun = unended(events, path);
    const place = begun === undefined ? 'after its tests' : `in "${begun}"`;
    const reason = `ended at its limit of ${options.fileLimitMs / 1000} s, ${place}`;
    tally.failures.push({ name: 'the file ends within its limit', file, reason });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const passed = tally.passed - before.passed;
  tally.files.push({ file, seconds, tests: passed + failed });
  if (options.everyTest || failed > 0) await printAll(events, options.print);
  options.print(`${failed === 0 ? '✔' : '✖'} ${seconds.toFixed(1).padStart(6)} s  ${file} (${passed + failed})\n`);
}

/** The test, or the suite whose hook it is, that began last and did not end; undefined when none runs. */
function unended(events: readonly TestEvent[], path: string): string | undefined {
  const running: string[] = [];
  for (const { type, data } of events) {
    const { name = '' } = data;
    if (name === path) continue;
    if (type === 'test:dequeue') running.push(name);
    const at = type === 'test:complete' ? running.lastIndexOf(name) : -1;
    if (at >= 0) running.splice(at, 1);
  }
  return running.at(-1);
}

/** That its process was ended is told by who ended it. */
function isAbort({ data }: TestEvent, path: string): boolean {
  return data.name === path && data.details?.error?.failureType === 'testAborted';
}

async function printAll(events: readonly TestEvent[], print: (text: string) => void): Promise<void> {
  for await (const text of Readable.from(events).compose(spec())) print(String(text));
}
