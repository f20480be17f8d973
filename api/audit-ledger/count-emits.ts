import type { Response } from 'express';
import { rateLimitFields } from '../../domain/audit-ledger/emit-limit.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LedgerDeps } from './deps.ts';
import type { Emitter } from './emitter.ts';

/** Whose window an emit counts in. */
interface EmitWindowOwner {
  readonly orgSlug: string;
  readonly sub: string;
}

/**
 * Counts the emits of a request before anything of them is read closely, and says in the reply how many are left
 * (spec 3, "Limits": the key is orgSlug plus sub). What is emitted for several is counted for each; the reply speaks of
 * the one with the least left.
 *
 * @param bodies events as they were sent
 * @throws RATE_LIMIT_EXCEEDED
 */
export async function countEmits(
  deps: Pick<LedgerDeps, 'counter' | 'settings' | 'now'>,
  emitter: Emitter,
  bodies: readonly unknown[],
  response: Response,
): Promise<void> {
  const { emitLimit } = deps.settings;
  const amounts = ownersOf(emitter, bodies);
  const windows = await Promise.all(amounts.map(({ owner, amount }) => deps.counter.count(owner, amount)));
  const tightest = windows.reduce((least, window) => (window.used > least.used ? window : least));
  const { headers, resetSeconds } = rateLimitFields(tightest, emitLimit, deps.now());
  response.set(headers);
  if (tightest.used <= emitLimit) return;
  throw new FairleadError(
    'RATE_LIMIT_EXCEEDED',
    `More than ${emitLimit} events a minute of one caller: go on in ${resetSeconds} s`,
    { details: { error: 'rate_limit_exceeded', limit: emitLimit, retryAfterSeconds: resetSeconds } },
  );
}

type Counted = { readonly owner: EmitWindowOwner; amount: number };

/**
 * By token there is one: its org and its `sub`. The internal key is no caller of its own: many services of the platform
 * use it, each for many orgs, so a window is that of the service and the org it emits for. No client id has a slash.
 */
function ownersOf(emitter: Emitter, bodies: readonly unknown[]): readonly Counted[] {
  if (!emitter.internal) return [{ owner: emitter, amount: bodies.length }];
  const counted = new Map<string, Counted>();
  for (const body of bodies) {
    const { orgSlug, namespace } = namesIn(body);
    const owner = { orgSlug: orgSlug ?? emitter.orgSlug, sub: `${emitter.sub}/${namespace ?? ''}` };
    const key = JSON.stringify(owner);
    const known = counted.get(key);
    if (known === undefined) counted.set(key, { owner, amount: 1 });
    else known.amount += 1;
  }
  return [...counted.values()];
}

function namesIn(body: unknown): { readonly orgSlug?: string; readonly namespace?: string } {
  if (typeof body !== 'object' || body === null) return {};
  const { orgSlug, namespace } = body as Readonly<Record<string, unknown>>;
  return {
    ...(typeof orgSlug === 'string' ? { orgSlug } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
  };
}
