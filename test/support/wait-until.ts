import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

type Nothing = false | null | undefined;

/**
 * Looks again and again until there is something: anything but false, null and undefined.
 * @param what what is waited for, in words, such as "the child is back"
 * @returns what was found
 * @throws Error naming what did not come about within `withinMs`
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  { withinMs = PATIENCE_MS, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, Nothing>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (isSomething(found)) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(everyMs);
  }
}

function isSomething<T>(found: T): found is Exclude<T, Nothing> {
  return found !== false && found !== null && found !== undefined;
}
