import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import { FairleadError } from '../domain/errors.ts';
import { limitOf, type QuotaCounters, type QuotaScope, slotOf } from '../domain/properties/quota.ts';

/** Calls of vendors, spread so that all processes together, of whatever version, stay within their quotas. */
export interface CallBudget {
  /**
   * Waits until a call fits into all scopes, and counts it.
   * @throws RATE_LIMITED (retryable, with `retryAfterSeconds`) when that is not soon; the reason of an abort; UNAVAILABLE
   */
  acquire(scopes: readonly QuotaScope[], patience?: Patience): Promise<void>;
  /** Lets no process call in that scope for so long: the vendor refuses it. */
  pause(key: string, seconds: number): Promise<void>;
}

export interface Patience {
  readonly signal?: AbortSignal;
  /** The longest wait; a minute and a half unless it is said. */
  readonly waitMs?: number;
}

export interface CallBudgetDeps {
  readonly counters: QuotaCounters;
  readonly now: Clock;
  /** Waits; replaced where time is not waited for. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * A process takes a tenth of a slot at once, and no more than so many, so that it does not ask the database before every
 * call. What it took and does not use is lost: a slot may be a day, and a process may be killed again and again.
 */
const TAKES_OF_A_SLOT = 10;
const MOST_TAKEN = 30;
/** Who has to wait longer gives its place to others meanwhile. */
const MOST_WAIT_MS = 90_000;
/** How old what is known of pauses may be. */
const PAUSES_KNOWN_MS = 1_000;
/** Slots and pauses that are remembered; what is forgotten is asked for again. */
const MOST_KEPT = 10_000;

interface Wait {
  readonly ms: number;
  readonly scope: QuotaScope;
}

interface Taken {
  readonly slot: number;
  left: number;
}

export function createCallBudget({ counters, now, sleep = defaultSleep }: CallBudgetDeps): CallBudget {
  const taken = new Map<string, Taken>();
  const pausesReadAt = new Map<string, number>();

  /** By rule: what all processes agreed on stays. */
  const slotLengths = new Map<string, number>();

  async function slotMsOf({ rule, slotMs: proposed }: QuotaScope): Promise<number> {
    const known = slotLengths.get(rule);
    if (known !== undefined) return known;
    const agreed = await counters.slotMs(rule, proposed);
    slotLengths.set(rule, agreed);
    forgetOldest(slotLengths);
    return agreed;
  }

  const hasLeft = ({ key, rule, slotMs: proposed }: QuotaScope): boolean => {
    const own = taken.get(key);
    const slotMs = slotLengths.get(rule) ?? proposed;
    return own !== undefined && own.slot === slotOf(now(), slotMs).getTime() && own.left > 0;
  };

  /** Takes more calls of a scope. @returns how long to wait (ms) when the slot has none left; 0 otherwise */
  async function refill(scope: QuotaScope): Promise<number> {
    const { key } = scope;
    const slotMs = await slotMsOf(scope);
    const limit = limitOf(scope, slotMs);
    const slot = slotOf(now(), slotMs);
    const got = await counters.take(key, slot, Math.min(MOST_TAKEN, Math.ceil(limit / TAKES_OF_A_SLOT)), limit);
    if (got === 0) return Math.max(1, slot.getTime() + slotMs - now().getTime());
    const own = taken.get(key);
    if (own !== undefined && own.slot === slot.getTime()) own.left += got;
    else taken.set(key, { slot: slot.getTime(), left: got });
    forgetOldest(taken);
    return 0;
  }

  /** How long (ms) a pause of one of the scopes goes on. */
  async function pauseMs(scopes: readonly QuotaScope[]): Promise<number> {
    const id = scopes.map(({ key }) => key).join(' ');
    const moment = now();
    if (moment.getTime() - (pausesReadAt.get(id) ?? Number.NEGATIVE_INFINITY) < PAUSES_KNOWN_MS) return 0;
    const keys = scopes.map(({ key }) => key);
    const until = await counters.pausedUntil(keys, moment);
    if (until !== null) return until.getTime() - moment.getTime();
    pausesReadAt.set(id, moment.getTime());
    forgetOldest(pausesReadAt);
    return 0;
  }

  /** How long (ms) nothing is left of a scope, and whose quota that is. */
  async function missing(scopes: readonly QuotaScope[]): Promise<Wait | null> {
    for (const scope of scopes) {
      const ms = hasLeft(scope) ? 0 : await refill(scope);
      if (ms > 0) return { ms, scope };
    }
    return null;
  }

  async function waitOf(scopes: readonly QuotaScope[]): Promise<Wait | null> {
    const ms = await pauseMs(scopes);
    const [scope] = scopes;
    return ms > 0 && scope !== undefined ? { ms, scope } : await missing(scopes);
  }

  /** Takes a call of each scope; of none where one has to be waited for. */
  async function takeOfAll(scopes: readonly QuotaScope[]): Promise<Wait | null> {
    do {
      const wait = await waitOf(scopes);
      if (wait !== null) return wait;
      // Others of this process may have used up what there was meanwhile.
    } while (!scopes.every(hasLeft));
    for (const { key } of scopes) {
      const own = taken.get(key);
      if (own !== undefined) own.left -= 1;
    }
    return null;
  }

  return {
    async acquire(scopes, { signal, waitMs = MOST_WAIT_MS } = {}) {
      signal?.throwIfAborted();
      if (scopes.length === 0) return;
      const until = now().getTime() + waitMs;
      for (let wait = await takeOfAll(scopes); wait !== null; wait = await takeOfAll(scopes)) {
        if (now().getTime() + wait.ms > until) throw limited(wait);
        await sleep(wait.ms, signal);
        signal?.throwIfAborted();
      }
    },
    async pause(key, seconds) {
      pausesReadAt.clear();
      await counters.pause(key, new Date(now().getTime() + seconds * 1_000));
    },
  };
}

const askedSchema = z.object({ retryAfterSeconds: z.number() });

/** How long (s) the vendor wants to be left alone, as an error of it says; null where it does not. */
export function secondsAsked({ details }: FairleadError): number | null {
  return askedSchema.safeParse(details).data?.retryAfterSeconds ?? null;
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= MOST_KEPT) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

async function defaultSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

function limited({ ms, scope: { vendor } }: Wait): FairleadError {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1_000));
  const message = `The calls that ${vendor} allows are used up for ${retryAfterSeconds} s`;
  const system = vendor.toLowerCase();
  return new FairleadError('RATE_LIMITED', message, { system, retryable: true, details: { retryAfterSeconds } });
}
