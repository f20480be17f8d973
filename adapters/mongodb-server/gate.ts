import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { isCode } from './mongodb-error.ts';
import { createRole, dropRole, NO_ROLE } from './service-role.ts';

const GATE = 'fairlead_gate_';
/** How long a call that says nothing keeps others out: one that was killed, or is paused. */
const PATIENCE_MS = 15_000;
const EVERY_MS = 50;

/**
 * Does one thing at a time with the users of other services in a database. MongoDB has no lock that ends with a connection,
 * so a call holds a role that it has made, the gate, which can do nothing. A call that finds the gate of another one waits,
 * and takes away one that stays. Every statement which lets somebody in names the gate as well: where that is gone the server
 * refuses it, so that a call which was paused, and goes on when its turn is over, lets nobody in.
 * @throws CONFLICT (retryable) when the turn was over before the work was done
 */
export async function exclusively<T>(
  db: Db,
  { signal, patienceMs = PATIENCE_MS }: { readonly signal: AbortSignal; readonly patienceMs?: number | undefined },
  work: (gate: string) => Promise<T>,
): Promise<T> {
  const gate = await enter(db, signal, patienceMs);
  try {
    return await work(gate);
  } catch (error) {
    if (!isCode(error, NO_ROLE)) throw error;
    const text = `Another call changed meanwhile who uses ${db.databaseName}.`;
    throw new FairleadError('CONFLICT', text, { system: 'mongodb', retryable: true, cause: error });
  } finally {
    // One that stays is taken away by the next call.
    await dropRole(db, gate).catch(() => undefined);
  }
}

/** @returns the name of a gate beside which there was none when it was there */
async function enter(db: Db, signal: AbortSignal, patienceMs: number): Promise<string> {
  const firstSeen = new Map<string, number>();
  for (;;) {
    const others = await gatesOf(db);
    const gate = others.length === 0 ? await enterAlone(db) : null;
    if (gate !== null) return gate;
    const now = performance.now();
    for (const other of others) {
      const since = firstSeen.get(other) ?? now;
      firstSeen.set(other, since);
      if (now - since >= patienceMs) await dropRole(db, other);
    }
    // Those that come at once go on at different times.
    await delay(EVERY_MS * (0.5 + Math.random()), undefined, { signal });
  }
}

/** @returns null where another one came at the same time */
async function enterAlone(db: Db): Promise<string | null> {
  const gate = `${GATE}${randomBytes(12).toString('hex')}`;
  await createRole(db, gate);
  if ((await gatesOf(db)).every((one) => one === gate)) return gate;
  await dropRole(db, gate);
  return null;
}

/** Takes away gates of a database that is the platform's no more. */
export async function dropGates(db: Db): Promise<void> {
  for (const gate of await gatesOf(db)) await dropRole(db, gate);
}

async function gatesOf(db: Db): Promise<readonly string[]> {
  const { roles } = await db.command({ rolesInfo: 1 });
  return (roles as readonly Document[]).map(({ role }) => String(role)).filter((role) => role.startsWith(GATE));
}
