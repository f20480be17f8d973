import type { Flapping } from './condition.ts';

/** Each change between down and up adds 1; half of it is gone after this. */
const HALF_LIFE_MS = 15 * 60_000;
/** Three changes within some minutes. */
const STARTS_AT = 2.5;
/** Three changes are forgotten after half an hour. */
const ENDS_BELOW = 0.75;

export const STEADY: Flapping = { penalty: 0, at: 0, since: null };

/** The mark after some time, and one more change if there was one. A clock that was set back takes nothing away. */
export function flappingAt(flapping: Flapping, at: number, isChange: boolean): Flapping {
  const elapsedMs = Math.max(0, at - flapping.at);
  const penalty = flapping.penalty * 2 ** (-elapsedMs / HALF_LIFE_MS) + (isChange ? 1 : 0);
  if (flapping.since === null) return { penalty, at, since: penalty >= STARTS_AT ? at : null };
  return { penalty, at, since: penalty < ENDS_BELOW ? null : flapping.since };
}
