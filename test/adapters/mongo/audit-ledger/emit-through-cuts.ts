import { once } from 'node:events';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createNamespaceLeases } from '../../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { connectMongo } from '../../../../adapters/mongo/connect.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { draftOf } from '../../../ports/audit-ledger/drafts.ts';

/**
 * A process that emits to the ledger as its API does, each event under a key, again until it is acknowledged. Tells that it is
 * ready, begins when it is told, and when it is told again ends with what was acknowledged.
 */
export interface AcknowledgedEvent {
  readonly key: string;
  readonly chainIndex: number;
  readonly eventHash: string;
}

const [name = '', mongoUri = '', namespace = '', emitters = '1'] = process.argv.slice(2);
const { db, close } = await connectMongo(mongoUri, 'fairlead-test');
const now = () => new Date();
const leases = createNamespaceLeases({ db, now });
const writer = createEventWriter({ store: createEventStore({ db }), leases, newId, now });
const acknowledged: AcknowledgedEvent[] = [];
let number = 0;
let stopped = false;

async function emit(key: string): Promise<void> {
  for (;;) {
    try {
      const draft = draftOf({ namespace, idempotency: { key, fingerprint: key }, entityId: key });
      const { chainIndex, eventHash } = await writer.emit(draft);
      acknowledged.push({ key, chainIndex, eventHash });
      return;
    } catch (error) {
      if (!(error instanceof FairleadError && error.code === 'UNAVAILABLE')) throw error;
    }
  }
}

async function emitter(): Promise<void> {
  while (!stopped) await emit(`${name}-${number++}`);
}

process.send?.('ready');
await once(process, 'message');
process.once('message', () => {
  stopped = true;
});
await Promise.all(Array.from({ length: Number(emitters) }, emitter));
await close();
process.send?.(acknowledged);
