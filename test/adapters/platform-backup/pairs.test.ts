import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Db, MongoServerError } from 'mongodb';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { connectMongo, type MongoConnection } from '../../../adapters/mongo/connect.ts';
import { createBuildLog } from '../../../adapters/mongo/deploys/build-logs.ts';
import { createEpochStore } from '../../../adapters/mongo/deploys/epochs.ts';
import { createReleaseStore } from '../../../adapters/mongo/deploys/releases.ts';
import { createMonitorStore } from '../../../adapters/mongo/monitors/monitors.ts';
import { createWalletStore } from '../../../adapters/mongo/wallet/wallet-store.ts';
import { createWalletIndexes } from '../../../adapters/mongo/wallet-database.ts';
import { readDatabase, writeDatabase } from '../../../adapters/platform-backup/database-part.ts';
import { createWalletLedger } from '../../../api/wallet/wallet-ledger.ts';
import { chunks } from '../../ports/archive-store.ts';
import { releaseRecord } from '../../ports/records.ts';
import { monitorRecord } from '../../support/monitor-records.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

const now = () => new Date();
const TARGET = { service: 'shop', environment: 'prod' } as const;
const BUILD = 'bld_1';

/** One write through each store that counts in a collection of its own. */
function createWriter(db: Db) {
  const ledger = createWalletLedger({ store: createWalletStore({ db }), newId, now, orgs: null });
  const [epochs, releases, monitors] = [
    createEpochStore({ db }),
    createReleaseStore({ db }),
    createMonitorStore({ db }),
  ];
  const log = createBuildLog({ db, now });
  let calls = 0;
  return async () => {
    calls += 1;
    const { sequence } = await ledger.move('acme', {
      ...{ kind: 'debit', amount: 1, reason: 'a call', actor: 'gateway' },
      idempotencyKey: newId('walletEntry'),
    });
    const epoch = (await epochs.next(TARGET)) + 3;
    const release = releaseRecord({ id: newId('release'), ...TARGET });
    await releases.put(release);
    await releases.activate(release.id, { at: now(), epoch, buildId: BUILD });
    assert.equal((await releases.active(TARGET.service, TARGET.environment))?.id, release.id, 'the newest is active');
    const number = await monitors.nextNumber();
    const id = newId('monitor');
    assert.equal(await monitors.insert(monitorRecord(number, { id, key: `manual/${id}` })), true);
    await log.append(BUILD, [{ time: now(), step: 'build', level: 'info', text: `line ${calls}` }]);
    return { sequence, epoch, number };
  };
}

describe('a database that is read while it is written to', { timeout: 120_000 }, () => {
  let mongo: TestMongo;
  let target: MongoConnection;
  before(async () => {
    mongo = await startMongo();
    await createWalletIndexes(mongo.connection.db);
    target = await connectMongo(mongo.uriOf('restored'), 'fairlead-test');
  });
  after(async () => {
    await target.db.dropDatabase();
    await target.close();
    await mongo.stop();
  });

  it('is restored so that each store goes on: no number is given twice, and none is refused', async () => {
    const { db } = mongo.connection;
    const write = createWriter(db);
    await write();
    // So long that others write between a counter and what it counts.
    for (const name of ['build_log_i', 'deploy_f', 'monitor_o', 'wallet_b']) {
      await db.collection(name).insertOne({ text: 'x'.repeat(300_000) });
    }
    const pieces: Buffer[] = [];
    let made = 0;
    for await (const piece of readDatabase(db, AbortSignal.timeout(60_000))) {
      pieces.push(piece);
      await write();
      made += 1;
    }
    assert.ok(made >= 5);
    await writeDatabase(target.db, chunks(...pieces), 'pbk_1');
    await createWalletIndexes(target.db);
    const entries = await target.db.collection('wallet_entries').countDocuments();
    const again = createWriter(target.db);
    const first = await again();
    const second = await again();
    assert.deepEqual([first.sequence, second.sequence], [entries + 1, entries + 2]);
    for (const [name, field] of [
      ['monitors', 'number'],
      ['releases', 'epoch'],
      ['build_logs', 'seq'],
    ] as const) {
      const numbers = (await target.db.collection(name).find({}).toArray()).map((document) => document[field]);
      assert.equal(new Set(numbers).size, numbers.length, `${name}.${field}`);
    }
  });
});

/** A server that has snapshots, and no longer keeps the one that is read; nothing else of it is another. */
function losingItsSnapshot(db: Db, batches: number): Db {
  let left = batches;
  const bound = <T extends object>(value: T, changes: Readonly<Record<string, unknown>>): T =>
    new Proxy(value, {
      get: (real, name) => {
        if (name in changes) return changes[String(name)];
        const found: unknown = Reflect.get(real, name);
        return typeof found === 'function' ? found.bind(real) : found;
      },
    });
  return bound(db, {
    collection: (name: string) => {
      const collection = db.collection(name);
      const find = (filter: object, { session, ...options }: { readonly session?: unknown }) => {
        const cursor = collection.find(filter, options);
        const hasNext = async () => {
          if (session !== undefined && --left < 0) throw new MongoServerError({ message: 'too old', code: 239 });
          return await cursor.hasNext();
        };
        const sort = (by: { readonly _id: 1 }) => bound(cursor.sort(by), { hasNext });
        return bound(cursor, { hasNext, sort });
      };
      return bound(collection, { find });
    },
  });
}

describe('a snapshot that the server no longer keeps', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo.stop());

  it('is given up, and every document is read once', async () => {
    const { db } = mongo.connection;
    const many = Array.from({ length: 1_700 }, (_, index) => ({ _id: `row_${String(index).padStart(5, '0')}` }));
    await db.collection<{ _id: string }>('many').insertMany(many);
    await db.collection<{ _id: string }>('zebras').insertOne({ _id: 'one' });
    const pieces: Buffer[] = [];
    for await (const piece of readDatabase(losingItsSnapshot(db, 2), AbortSignal.timeout(60_000))) pieces.push(piece);
    const connection = await connectMongo(mongo.uriOf('kept'), 'fairlead-test');
    try {
      await writeDatabase(connection.db, chunks(...pieces), 'pbk_1');
      assert.deepEqual(
        (await connection.db.collection('many').find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => String(_id)),
        many.map(({ _id }) => _id),
      );
      assert.equal(await connection.db.collection('zebras').countDocuments(), 1);
    } finally {
      await connection.db.dropDatabase();
      await connection.close();
    }
  });
});
