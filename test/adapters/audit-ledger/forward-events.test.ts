import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { forwardEvents } from '../../../adapters/audit-ledger/forward-events.ts';
import { createAuditTrail } from '../../../adapters/mongo/audit/audit-trail.ts';
import { COLLECTIONS } from '../../../adapters/mongo/audit/indexes.ts';
import { createTrailSource } from '../../../adapters/mongo/audit/trail-source.ts';
import { createIdentityIndexes } from '../../../adapters/mongo/identity-database.ts';
import { pendingEvent } from '../../../domain/audit/pending-event.ts';
import type { AuditTrail, LedgerSource } from '../../../domain/audit/ports.ts';
import { openOutbox } from '../../../sdk/audit/outbox.ts';
import { auditRecorderSuite, type ToldEvent } from '../../ports/audit-recorder.ts';
import { auditEvent } from '../../ports/identity/records.ts';
import { KEY, startLedger, type TestLedger } from '../../support/start-ledger.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type RelayedLedger, startRelayedLedger } from './relayed-ledger.ts';

/** The identity provider's audit trail in MongoDB, and the real ledger. */
describe('events told to the ledger', () => {
  let ledger: TestLedger;
  let mongo: TestMongo;
  let trail: AuditTrail;
  let source: LedgerSource;
  const unreadable: string[] = [];
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    ledger = await startLedger();
    mongo = await startMongo();
    await createIdentityIndexes(mongo.connection.db);
    trail = createAuditTrail({ db: mongo.connection.db, now });
    source = openTrail();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  after(async () => {
    await mongo.stop();
    await ledger.stop();
  });

  const now = () => new Date();
  function openTrail(): LedgerSource {
    const { db } = mongo.connection;
    return createTrailSource({ db, now, namespace: 'identity', onUnreadable: (id) => unreadable.push(id) });
  }
  const warnings: string[] = [];
  const log = { warn: (...args: unknown[]) => void warnings.push(JSON.stringify(args)) };
  function start(auditUrl = ledger.address) {
    const forwarder = forwardEvents({ source: openTrail(), auditUrl, internalKey: KEY, log, delaysMs: [5] });
    ends.push(() => forwarder.stop());
    return forwarder;
  }
  /** What the ledger has of a series, oldest first. */
  async function recorded(series: string, namespace = 'identity'): Promise<ToldEvent[]> {
    const { body } = await ledger.call('platform', 'GET', `/v1/events?limit=200&namespace=${namespace}`);
    return body.data.events.toReversed().filter(({ orgSlug }: ToldEvent) => orgSlug === series);
  }
  const untilNoneWaits = () => waitUntil('all events to be told', async () => (await source.readNext(1)).length === 0);
  const change = (number: number, series = 'shop') =>
    auditEvent({
      id: `evt_${series}${number}`,
      type: 'oauth.client_updated',
      subject: `${series}-${number}`,
      orgSlug: series,
      address: '203.0.113.9',
      time: new Date(1_000_000 + number),
    });
  const names = (series: string, count: number) => Array.from({ length: count }, (_, number) => `${series}-${number}`);

  it('wait while the ledger is down, and are then sent once, in order, by two processes', async () => {
    for (let number = 0; number < 12; number += 1) await trail.record(change(number));
    const away = start('http://127.0.0.1:1');
    await waitUntil('an attempt to have failed', () => warnings.some((line) => line.includes('audit events wait')));
    assert.equal((await source.readNext(100)).length, 12);
    await away.stop();
    start();
    start();
    await untilNoneWaits();
    const events = await recorded('shop');
    assert.deepEqual(
      events.map(({ entityId }) => entityId),
      names('shop', 12),
    );
    assert.equal(events[0]?.data.org, 'shop');
    assert.ok(!JSON.stringify(events).includes('203.0.113.9'), 'no network address');
  });

  it('leave out logins, invitations and grants', async () => {
    const types = ['user.logged_in', 'user.login_failed', 'org.invite_created', 'oauth.grant_created'];
    for (const type of types) await trail.record(auditEvent({ id: `evt_${type}`, type, subject: 'private' }));
    assert.deepEqual(await source.readNext(10), []);
    const kept = await trail.list({ subject: 'private' }, { cursor: null, limit: 10 });
    assert.equal(kept.items.length, types.length, 'they are in the trail');
    await trail.record(change(1, 'public'));
    assert.equal((await source.readNext(10)).length, 1);
  });

  it('are sent without one that the ledger refuses, which stays in the trail with the reason', async () => {
    await trail.record({ ...change(70, 'bad'), subject: ' ' });
    await trail.record(change(71, 'bad'));
    start();
    await untilNoneWaits();
    const told = await recorded('bad');
    assert.deepEqual(
      told.map(({ entityId }) => entityId),
      ['bad-71'],
    );
    assert.match(warnings.join('\n'), /evt_bad70.*the audit ledger refuses an event/);
    const events = mongo.connection.db.collection<{ _id: string; refused?: { code: string } }>(COLLECTIONS.events);
    assert.equal((await events.findOne({ _id: 'evt_bad70' }))?.refused?.code, 'EVENT_INVALID');
  });

  it('are sent although one cannot be read, which waits for a version that can read it', async () => {
    const events = mongo.connection.db.collection<{ _id: string; toForward: boolean; time: Date }>(COLLECTIONS.events);
    await events.insertOne({ _id: 'evt_newer', toForward: true, time: new Date(0) });
    await trail.record(change(1, 'readable'));
    start();
    await waitUntil('the other to be told', async () => (await recorded('readable')).length === 1);
    assert.ok(unreadable.includes('evt_newer'));
    assert.equal((await events.findOne({ _id: 'evt_newer' }))?.toForward, true);
    await events.deleteOne({ _id: 'evt_newer' });
  });

  describe('by a process that is killed between the ledger’s answer and the mark', () => {
    let relay: RelayedLedger;
    const KILLED_AT = 4;
    const COUNT = 10;
    before(async () => {
      relay = await startRelayedLedger(ledger.address);
    });
    after(() => relay.stop());

    function spawnForwarder(kind: string, place: string): ChildProcess {
      const child = join(import.meta.dirname, 'forwarding-child.ts');
      const forwarder = spawn(process.execPath, [child, kind, place, relay.url], { stdio: 'inherit' });
      ends.push(async () => {
        if (forwarder.exitCode === null && forwarder.signalCode === null) {
          forwarder.kill('SIGKILL');
          await once(forwarder, 'exit');
        }
      });
      return forwarder;
    }
    async function killAndRestart(kind: string, place: string): Promise<void> {
      const killed = spawnForwarder(kind, place);
      const exit = once(killed, 'exit');
      relay.beforeAnswer = async (nth) => {
        if (nth !== KILLED_AT) return;
        killed.kill('SIGKILL');
        await exit;
      };
      await exit;
      relay.beforeAnswer = async () => undefined;
      const before = relay.keys.length;
      assert.equal(before, KILLED_AT);
      spawnForwarder(kind, place);
      const again = COUNT - KILLED_AT + 1;
      await waitUntil('the rest to be told', () => relay.keys.length === before + again);
      assert.equal(relay.keys[before], relay.keys[before - 1], 'the one that was not marked comes again');
      relay.keys.length = 0;
    }

    it('are in the ledger once, in order, from a trail', async () => {
      for (let number = 0; number < COUNT; number += 1) await trail.record(change(number, 'killed'));
      await killAndRestart('trail', mongo.uri);
      const told = await recorded('killed');
      assert.deepEqual(
        told.map(({ entityId }) => entityId),
        names('killed', COUNT),
      );
    });

    it('are in the ledger once, in order, from an outbox', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'killed-outbox-'));
      ends.push(async () => rmSync(folder, { recursive: true }));
      const outbox = openOutbox({ folder });
      for (let number = 0; number < COUNT; number += 1) {
        await outbox.add(pendingEvent(change(number, 'outbox'), 'builder'));
      }
      await outbox.close();
      await killAndRestart('outbox', folder);
      const told = await recorded('outbox', 'builder');
      assert.deepEqual(
        told.map(({ entityId }) => entityId),
        names('outbox', COUNT),
      );
    });
  });

  auditRecorderSuite(() => ({
    audit: { record: (event) => trail.record(event) },
    async told(entityId) {
      start();
      await untilNoneWaits();
      const { body } = await ledger.call('platform', 'GET', `/v1/events?namespace=identity&entityId=${entityId}`);
      const events: ToldEvent[] = body.data.events.toReversed();
      return events.map(({ eventType, orgSlug, data, metadata }) => ({ eventType, entityId, orgSlug, data, metadata }));
    },
  }));
});
