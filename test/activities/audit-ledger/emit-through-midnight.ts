import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createNamespaceLeases } from '../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';

/**
 * A process that writes to the ledger as its API does, through midnight: to a namespace that others write to as well, and
 * to new ones. Says that it is ready, is told what to do, and tells what was acknowledged when it is done.
 */
export interface MidnightOrders {
  /** How far its clock is ahead of the machine's, milliseconds. */
  readonly aheadMs: number;
  /** On that clock, unless it is told to stop before. */
  readonly until: number;
  /** How many write to the one namespace, and how long each waits between two events. */
  readonly emitters: number;
  readonly pauseMs: number;
}

export interface Acknowledged {
  readonly id: string;
  readonly namespace: string;
  readonly createdAt: number;
  /** What the clock of the process said when it asked. */
  readonly askedAt: number;
}

/** Leaves others something of the machine. */
const NEW_EVERY_MS = 20;

const [name = '', mongoUri = ''] = process.argv.slice(2);
const { db, close } = await connectMongo(mongoUri, 'fairlead-test');
process.send?.('ready');
const [{ aheadMs, until, emitters, pauseMs }] = (await once(process, 'message')) as [MidnightOrders];
let stopped = false;
process.once('message', () => {
  stopped = true;
});
const goesOn = () => !stopped && now().getTime() < until;
const now = () => new Date(Date.now() + aheadMs);
const writer = createEventWriter({
  store: createEventStore({ db }),
  leases: createNamespaceLeases({ db, now }),
  newId,
  now,
});
const acknowledged: Acknowledged[] = [];

async function emit(namespace: string): Promise<void> {
  const askedAt = now().getTime();
  const { id, createdAt } = await writer.emit(draftOf({ namespace }));
  acknowledged.push({ id, namespace, createdAt: createdAt.getTime(), askedAt });
}

async function emitToBusy(): Promise<void> {
  while (goesOn()) {
    await emit('busy');
    if (pauseMs > 0) await delay(pauseMs);
  }
}

async function emitToNew(): Promise<void> {
  for (let number = 0; goesOn(); number += 1) {
    await emit(`new-${name}-${number}`);
    await delay(NEW_EVERY_MS);
  }
}

await Promise.all([...Array.from({ length: emitters }, emitToBusy), emitToNew()]);
await close();
// Whoever gets it ends the channel, and so this process.
process.send?.(acknowledged);
