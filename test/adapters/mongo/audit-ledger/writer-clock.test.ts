import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import type { EventStore } from '../../../../domain/audit-ledger/ports.ts';
import { draftOf } from '../../../ports/audit-ledger/drafts.ts';
import { setClockAhead } from '../../../support/move-clocks.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
const { db } = mongo.connection;
await createLedgerIndexes(db);
const stored = createEventStore({ db });

it('the clock of the machine set ahead lets no waiting event be late', async (t) => {
  let writes = 0;
  const store: EventStore = {
    ...stored,
    append: async (events) => {
      writes += 1;
      if (writes > 1) return await stored.append(events);
      setClockAhead(t.mock);
      return 0;
    },
  };
  const writer = createEventWriter({ store, newId, now: () => new Date('2026-05-01T00:00:00.000Z') });
  assert.equal((await writer.emit(draftOf({ namespace: 'ahead' }))).chainIndex, 0);
  assert.equal(writes, 2);
});
