import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { createAuditTrail } from '../../../adapters/mongo/audit/audit-trail.ts';
import { COLLECTIONS } from '../../../adapters/mongo/audit/indexes.ts';
import { createTrailSource } from '../../../adapters/mongo/audit/trail-source.ts';
import { createIdentityIndexes } from '../../../adapters/mongo/identity-database.ts';
import { createMemoryQueue } from '../../../sdk/audit/memory-queue.ts';
import { openOutbox } from '../../../sdk/audit/outbox.ts';
import { auditEvent } from '../../ports/identity/records.ts';
import { ledgerSourceSuite } from '../../ports/ledger-source.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

const eventOf = (name: string) => ({ key: name, body: JSON.stringify({ entityId: name }) });

describe('an outbox on disk', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  ledgerSourceSuite(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ledger-source-'));
      folders.push(folder);
      const source = openOutbox({ folder });
      return {
        source,
        async add(name) {
          await source.add(eventOf(name));
          return name;
        },
        async reopen() {
          await source.close();
          return openOutbox({ folder });
        },
        async refused() {
          const lines = (await readFile(join(folder, 'refused.jsonl'), 'utf8')).trimEnd().split('\n');
          return lines.map((line) => JSON.parse(line)).map(({ key, refusal }) => [key, refusal.code]);
        },
      };
    },
    { durable: true },
  );
});

describe('an audit trail in MongoDB', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
    await createIdentityIndexes(mongo.connection.db);
  });
  after(() => mongo.stop());

  let seconds = 0;
  ledgerSourceSuite(
    async () => {
      const { db } = mongo.connection;
      await db.collection(COLLECTIONS.events).deleteMany({});
      const now = () => new Date();
      const trail = createAuditTrail({ db, now });
      const open = () =>
        createTrailSource({
          db,
          now,
          namespace: 'identity',
          onUnreadable: (id) => {
            throw new Error(`cannot read ${id}`);
          },
        });
      return {
        source: open(),
        async add(name) {
          seconds += 1;
          const id = `evt_${name}`;
          await trail.record(auditEvent({ id, type: 'keys.rotated', subject: name, time: new Date(seconds * 1_000) }));
          return id;
        },
        reopen: async () => open(),
        async refused() {
          const found = await db
            .collection(COLLECTIONS.events)
            .find({ refused: { $exists: true } })
            .toArray();
          return found.map(({ _id, refused }) => [String(_id), refused.code]);
        },
      };
    },
    { durable: true },
  );
});

describe('a queue in memory', () => {
  ledgerSourceSuite(
    async () => {
      const source = createMemoryQueue(1_000);
      return {
        source,
        async add(name) {
          await source.add(eventOf(name));
          return name;
        },
        reopen: () => Promise.reject(new Error('nothing outlives the process')),
        refused: async () => [],
      };
    },
    { durable: false },
  );
});
