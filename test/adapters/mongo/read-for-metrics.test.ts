import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Db } from 'mongodb';
import { createAuditTrail } from '../../../adapters/mongo/audit/audit-trail.ts';
import { countUntold, createTrailSource } from '../../../adapters/mongo/audit/trail-source.ts';
import { anchoredUntil } from '../../../adapters/mongo/audit-ledger/anchored-until.ts';
import { createBatchStore } from '../../../adapters/mongo/audit-ledger/batches.ts';
import { CERTIFICATE_COLLECTIONS } from '../../../adapters/mongo/custom-domains/certificate-indexes.ts';
import { certificatesByDaysLeft } from '../../../adapters/mongo/custom-domains/certificates-by-days-left.ts';
import { createBuildStore } from '../../../adapters/mongo/deploys/builds.ts';
import { countOpenBuilds } from '../../../adapters/mongo/deploys/open-builds.ts';
import { countUnderWay, createDeliveryStore } from '../../../adapters/mongo/notifications/deliveries.ts';
import { anchorOn, batchOf } from '../../ports/audit-ledger/batch-store.ts';
import { deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { buildRecord } from '../../ports/records.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

describe('what metrics read in the database', () => {
  const now = () => new Date('2026-06-01T00:00:00Z');
  let mongo: TestMongo;
  let db: Db;
  before(async () => {
    mongo = await startMongo();
    db = mongo.connection.db;
  });
  after(() => mongo.stop());

  it('builds: each that has not ended is queued, runs, or waits for a decision', async () => {
    const store = createBuildStore({ db, now });
    for (const id of ['bld_1', 'bld_2', 'bld_3', 'bld_4']) await store.create(buildRecord({ id }));
    await store.markStep('bld_2', { key: 'source', stage: 'cloning' }, { state: 'running', startedAt: now() });
    await store.markStep('bld_3', { key: 'source', stage: 'cloning' }, { state: 'running', startedAt: now() });
    await store.setWaiting('bld_3', { since: now(), until: now(), blockedGrants: [] });
    const end = { status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: now() } as const;
    await store.finish('bld_4', end);
    assert.deepEqual(await countOpenBuilds(db), { queued: 1, running: 1, waiting: 1 });
  });

  it('the ledger: until the end of the newest day that a chain has, from the first day on where it has none', async () => {
    assert.equal(await anchoredUntil(db, 1), null);
    const store = createBatchStore(mongo.connection);
    for (const day of ['2026-01-01', '2026-01-02', '2026-01-03'])
      await store.insert(batchOf(day, { a: [[0, 1]] }).batch, null);
    assert.deepEqual(await anchoredUntil(db, 1), new Date('2026-01-01T00:00:00Z'));
    await store.putAnchor('2026-01-02', anchorOn(1));
    await store.putAnchor('2026-01-03', anchorOn(2));
    assert.deepEqual(await anchoredUntil(db, 1), new Date('2026-01-03T00:00:00Z'));
    assert.deepEqual(await anchoredUntil(db, 2), new Date('2026-01-04T00:00:00Z'));
  });

  it('certificates: each in one range of the days that it is good for; orders without one in none', async () => {
    const certificates = db.collection<{ _id: string }>(CERTIFICATE_COLLECTIONS.certificates);
    const inDays = (days: number) => ({ notAfter: new Date(now().getTime() + days * 86_400_000) });
    const days = [-3, -0.1, 0.1, 6.9, 7, 13, 29, 30, 89];
    const owners = [...days.map((left) => ({ current: inDays(left) })), { current: null }];
    await certificates.insertMany(owners.map((owner, index) => ({ _id: `shop-${index}/prod`, order: null, ...owner })));
    assert.deepEqual(Object.fromEntries(await certificatesByDaysLeft(db, now())), {
      ...{ expired: 2, under_7: 2, under_14: 2, under_30: 1, '30_or_more': 2 },
    });
  });

  it('outboxes: events until the ledger has them, and deliveries until they have ended', async () => {
    const trail = createAuditTrail({ db, now });
    const about = {
      actor: 'internal',
      subject: 'x',
      orgSlug: null,
      data: {},
      requestId: null,
      address: null,
      time: now(),
    };
    for (const id of ['evt_1', 'evt_2']) await trail.record({ id, type: 'oauth.client_created', ...about });
    await trail.record({ id: 'evt_3', type: 'login.succeeded', ...about });
    assert.equal(await countUntold(db), 2, 'the ledger is not told of logins');
    const source = createTrailSource({ db, now, namespace: 'identity', onUnreadable: () => undefined });
    const [first] = await source.readNext(1);
    assert.ok(first);
    await source.markDelivered(first);
    assert.equal(await countUntold(db), 1);

    const deliveries = createDeliveryStore({ db });
    await deliveries.insert(deliveryRecord());
    await deliveries.insert(deliveryRecord({ state: 'held' }));
    await deliveries.insert(deliveryRecord({ state: 'delivered', endedAt: now() }));
    assert.equal(await countUnderWay(db), 1, 'what waits for the end of quiet hours is not late');
  });
});
