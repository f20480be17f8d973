import { saysDiskFull } from './docker-client.ts';

/** Programs that fail for want of space while the engine's disk has more than this free have filled something else. */
const LOW_BYTES = 1024 ** 3;
const ASK_EVERY_MS = 1_000;

interface DiskFullCheck {
  /** Takes one line of the output of a build. */
  take(line: string): void;
  /** Whether a failed build failed because the engine's disk is full. `words` are the builder's own about the failure. */
  isFull(words: readonly string[]): Promise<boolean>;
}

/**
 * Tells a full disk of the engine from a program that only says so: a file system of its own may be full, such as
 * `/dev/shm`, or it may print whatever it likes. The builder's own words count as they are. A program's words count when
 * the disk was low at that moment: the engine frees what a failed instruction wrote soon after.
 */
export function createDiskFullCheck(freeBytes: () => Promise<number>): DiskFullCheck {
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked: Promise<number> = Promise.resolve(Number.MAX_SAFE_INTEGER);
  const ask = (): void => {
    askedAt = performance.now();
    const free = freeBytes().catch(() => Number.MAX_SAFE_INTEGER);
    asked = Promise.all([asked, free]).then((both) => Math.min(...both));
  };
  return {
    take(line) {
      if (performance.now() - askedAt > ASK_EVERY_MS && saysDiskFull(line)) ask();
    },
    isFull: async (words) => words.some(saysDiskFull) || (await asked) < LOW_BYTES,
  };
}
