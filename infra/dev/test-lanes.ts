import { availableParallelism } from 'node:os';

/** Files of tests that run under the same conditions. */
export interface Lane {
  readonly name: 'unit' | 'load' | 'steady' | 'disruptive';
  /** What a person reads above its files. */
  readonly title: string;
  readonly holds: (file: string) => boolean;
  /** How many of its files run at once, while nothing runs beside it. */
  readonly concurrency: number;
  /** How many run at once at most while cores have nothing to do: files that wait leave them to others. */
  readonly mostAtOnce: number;
  /** How long one file may take; also the longest that a test without a limit of its own may take. */
  readonly fileLimitMs: number;
  /** Runs against one embedded stack that all of its files share. */
  readonly needsStack: boolean;
  /** Runs when no other lane does. */
  readonly hasMachine: boolean;
}

const isEndToEnd = (file: string): boolean => file.startsWith('test/e2e/');

/** A file whose name ends like this has the machine, or the stack, to itself: it makes load, or kills parts of that stack. */
const isAlone = (file: string): boolean => file.endsWith('.alone.test.ts');

/** Files of all lanes together: more than cores, since many wait for a container engine, a clock or another process. */
const FILES_AT_ONCE = availableParallelism() + 2;
/** Each starts servers of its own, which take memory. */
const MOST_AT_ONCE = 2 * FILES_AT_ONCE;

/**
 * The one table of lanes. A file belongs to exactly one. Lanes on the stack run one after the other, beside those without
 * one, which run fewer files meanwhile. Then a lane has the machine to itself.
 */
export const LANES: readonly Lane[] = [
  {
    name: 'unit',
    title: 'tests without a stack',
    holds: (file) => !isEndToEnd(file) && !isAlone(file),
    concurrency: FILES_AT_ONCE,
    mostAtOnce: MOST_AT_ONCE,
    fileLimitMs: 900_000,
    needsStack: false,
    hasMachine: false,
  },
  {
    name: 'load',
    title: 'tests under load, nothing beside them',
    holds: (file) => !isEndToEnd(file) && isAlone(file),
    concurrency: 1,
    mostAtOnce: 1,
    // The matrix of kills, on a slow machine.
    fileLimitMs: 1_200_000,
    needsStack: false,
    hasMachine: true,
  },
  {
    name: 'steady',
    title: 'end-to-end tests that leave the parts of the stack alone',
    holds: (file) => isEndToEnd(file) && !isAlone(file),
    concurrency: 2,
    mostAtOnce: 2,
    fileLimitMs: 900_000,
    needsStack: true,
    hasMachine: false,
  },
  {
    name: 'disruptive',
    title: 'end-to-end tests that kill parts of the stack, or need all of it',
    holds: (file) => isEndToEnd(file) && isAlone(file),
    concurrency: 1,
    mostAtOnce: 1,
    fileLimitMs: 900_000,
    needsStack: true,
    hasMachine: false,
  },
];

/** Folders of tests, and single files. */
const OF_ENGINE = [
  'test/e2e/',
  'test/kills/',
  'test/adapters/docker/',
  'test/adapters/kubernetes/deploys.test.ts',
  'test/adapters/kubernetes/workload-runtime.test.ts',
  'test/hostile/',
  'test/infra/image/platform-image.test.ts',
  'test/infra/kubernetes/chart-install.test.ts',
  'test/infra/recovery/restore-platform.test.ts',
  'test/workers/kill-collector.test.ts',
];

/** Whether a file builds images or runs containers. */
export function needsEngine(file: string): boolean {
  return OF_ENGINE.some((path) => file.startsWith(path));
}
