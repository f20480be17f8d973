import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createTurns } from '../../../adapters/mongo/audit-ledger/turns.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';

/**
 * A process that writes to the ledger as its API does, through midnight: to a namespace that others write to as well, and
 * all the while to new ones. Says that it is ready, is told the time, and tells what was acknowledged when it is done.
 */
export interface MidnightOrders {
  /** How far its clock is ahead of the machine's, milliseconds. */
  readonly aheadMs: number;
  /** On that clock. */
  readonly until: number;
}

export interface Acknowledged {
  readonly id: string;
  readonly namespace: string;
  readonly createdAt: number;
}

const EMITTERS = 4;
/** Leaves others something of the machine. */
const PAUSE_MS = 20;

const [name = '', mongoUri = ''] = process.argv.slice(2);
const { db, close } = await connectMongo(mongoUri, 'fairlead-test');
process.send?.('ready');
const [{ aheadMs, until }] = (await once(process, 'message')) as [MidnightOrders];
const now = () => new Date(Date.now() + aheadMs);
const writer = createEventWriter({ store: createEventStore({ db }), turns: createTurns({ db, now }), newId, now });
const acknowledged: Acknowledged[] = [];

async function emit(namespace: string): Promise<void> {
  const { id, createdAt } = await writer.emit(draftOf({ namespace }));
  acknowledged.push({ id, namespace, createdAt: createdAt.getTime() });
}

async function emitToBusy(): Promise<void> {
  while (now().getTime() < until) {
    await emit('busy');
    await delay(PAUSE_MS);
  }
}

async function emitToNew(): Promise<void> {
  for (let number = 0; now().getTime() < until; number += 1) {
    await emit(`new-${name}-${number}`);
    await delay(PAUSE_MS);
  }
}

await Promise.all([...Array.from({ length: EMITTERS }, emitToBusy), emitToNew()]);
await close();
process.send?.(acknowledged);
process.disconnect();
