import { setTimeout as delay } from 'node:timers/promises';
import type { IdentityDeps } from '../../../../api/identity/deps.ts';

/** Ports whose calls are the steps of a request. */
const PORTS = [
  ...(['users', 'sessions', 'grants', 'codes', 'devices', 'links', 'revocations', 'audit', 'attempts'] as const),
  ...(['clients', 'orgs', 'memberships', 'consents'] as const),
];

const LONGEST_STOP_MS = 2_000;

/** Of two that work at once: after how many calls the first stops for the second, and the second for the first. */
export interface Turns {
  readonly first: number;
  /** Without it the second works to its end. */
  readonly second?: number;
}

/**
 * Two requests, or what a person does by several, that take turns at chosen calls of the ports: one of them works at any time.
 * @returns how many calls the first one made before its turn was over, fewer than asked for when it ended before
 */
export async function takeTurns(
  deps: IdentityDeps,
  { first, second = Number.POSITIVE_INFINITY }: Turns,
  [one, other]: readonly [() => Promise<unknown>, () => Promise<unknown>],
): Promise<number> {
  let turn: 'one' | 'other' | 'free' = 'one';
  let calls = 0;
  let begun: Promise<unknown> | null = null;
  const ofOther = Promise.withResolvers<void>();
  const oneEnded = Promise.withResolvers<void>();
  async function beforeCall(): Promise<void> {
    if (turn === 'free') return;
    calls += 1;
    if (turn === 'one' && calls === first) {
      turn = 'other';
      calls = 0;
      begun = other();
      await Promise.race([begun, ofOther.promise]);
      turn = 'free';
    } else if (turn === 'other' && calls === second) {
      ofOther.resolve();
      // A call that the first one makes beside the one it was stopped at looks like the second's, and is let through.
      await Promise.race([oneEnded.promise, delay(LONGEST_STOP_MS)]);
    }
  }
  const real = Object.fromEntries(PORTS.map((port) => [port, deps[port]]));
  Object.assign(deps, Object.fromEntries(PORTS.map((port) => [port, stopping(deps[port], beforeCall)])));
  try {
    await one();
    const made = calls;
    const isOver = begun !== null;
    turn = 'free';
    oneEnded.resolve();
    await (begun ?? other());
    return isOver ? first : made;
  } finally {
    Object.assign(deps, real);
  }
}

function stopping(port: object, beforeCall: () => Promise<void>): object {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: readonly unknown[]) => {
        await beforeCall();
        return await Reflect.apply(method, target, args);
      };
    },
  });
}
