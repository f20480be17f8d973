import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

type Nothing = false | null | undefined;

/** A look costs the machine that is waited for as much as any request: who has waited long can wait a little longer. */
export const lookLessOften =
  ({ atFirstMs, atLastMs }: { readonly atFirstMs: number; readonly atLastMs: number }) =>
  (waitedMs: number): number =>
    Math.min(Math.max(atFirstMs, waitedMs / 20), atLastMs);

const USUALLY = lookLessOften({ atFirstMs: 25, atLastMs: 250 });

interface WaitOptions {
  readonly withinMs?: number;
  /** Between two looks, maybe by how long was waited; less and less often where it is left out. */
  readonly everyMs?: number | ((waitedMs: number) => number);
}

/**
 * Looks again and again until there is something: anything but false, null and undefined.
 * @param what what is waited for, in words, such as "the child is back"
 * @returns what was found
 * @throws Error naming what did not come about within `withinMs`
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  { withinMs = PATIENCE_MS, everyMs = USUALLY }: WaitOptions = {},
): Promise<Exclude<T, Nothing>> {
  const startedAt = Date.now();
  for (;;) {
    const found = await look();
    if (isSomething(found)) return found;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(typeof everyMs === 'number' ? everyMs : everyMs(waitedMs));
  }
}

function isSomething<T>(found: T): found is Exclude<T, Nothing> {
  return found !== false && found !== null && found !== undefined;
}
