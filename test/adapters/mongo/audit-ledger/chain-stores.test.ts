import { after } from 'node:test';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createCheckpointStore } from '../../../../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEmitCounter } from '../../../../adapters/mongo/audit-ledger/emit-counter.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { connectMongo } from '../../../../adapters/mongo/connect.ts';
import { checkpointStoreSuite } from '../../../ports/audit-ledger/checkpoint-store.ts';
import { emitCounterSuite } from '../../../ports/audit-ledger/emit-counter.ts';
import { eventStoreSuite } from '../../../ports/audit-ledger/event-store.ts';
import { eventWriterSuite } from '../../../ports/audit-ledger/event-writer.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
const { db } = mongo.connection;
await createLedgerIndexes(db);

const store = createEventStore({ db });
eventStoreSuite(store);
eventWriterSuite(store, (now = () => new Date()) => createEventWriter({ store, newId, now }));
emitCounterSuite((now, limit) => createEmitCounter({ db, now, limit }));
checkpointStoreSuite(createCheckpointStore({ db }));

// The same for writers that use leases, on chains of their own.
const crowded = await connectMongo(mongo.uriOf('turns'), 'fairlead-test');
after(async () => {
  await crowded.db.dropDatabase();
  await crowded.close();
  await mongo.stop();
});
await createLedgerIndexes(crowded.db);
const crowdedStore = createEventStore({ db: crowded.db });
eventWriterSuite(crowdedStore, (now = () => new Date()) => {
  const leases = createNamespaceLeases({ db: crowded.db, now: () => new Date() });
  return createEventWriter({ store: crowdedStore, leases, newId, now });
});
