import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { forwardTrail } from '../../../adapters/audit-ledger/forward-trail.ts';
import { createAuditForwarding } from '../../../adapters/mongo/audit/audit-forwarding.ts';
import { createAuditTrail } from '../../../adapters/mongo/audit/audit-trail.ts';
import { createIdentityIndexes } from '../../../adapters/mongo/identity-database.ts';
import type { AuditForwarding, AuditTrail } from '../../../domain/audit/ports.ts';
import { auditEvent } from '../../ports/identity/records.ts';
import { KEY, startLedger, type TestLedger } from '../../support/start-ledger.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The identity provider's audit trail in MongoDB, and the real ledger. */
describe('the audit trail told to the ledger', () => {
  let ledger: TestLedger;
  let trail: AuditTrail;
  let forwarding: AuditForwarding;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    ledger = await startLedger();
    await createIdentityIndexes(ledger.db);
    trail = createAuditTrail(ledger);
    forwarding = createAuditForwarding(ledger);
  });
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });
  after(() => ledger.stop());

  const warnings: unknown[] = [];
  function start(auditUrl = ledger.address): void {
    const log = { warn: (...args: unknown[]) => void warnings.push(args) };
    const parts = { trail: forwarding, auditUrl, internalKey: KEY, namespace: 'identity', log, pauseMs: 20 };
    stops.push(forwardTrail(parts));
  }
  const recorded = async (): Promise<ReturnType<typeof JSON.parse>[]> => {
    const { body } = await ledger.call('platform', 'GET', '/v1/events?namespace=identity&limit=200');
    return body.data.events.toReversed();
  };
  const untilNoneWaits = (): Promise<boolean> =>
    waitUntil('all events to be told', async () => (await forwarding.pending(1)).length === 0);
  const change = (number: number) =>
    auditEvent({
      id: `evt_client${number}`,
      type: 'oauth.client_updated',
      subject: `shop-${number}`,
      orgSlug: 'acme',
      address: '203.0.113.9',
      time: new Date(1_000_000 + number),
    });

  it('waits out a ledger that is away, and then tells all in order, once, from two processes', async () => {
    for (let number = 0; number < 60; number += 1) await trail.record(change(number));
    start('http://127.0.0.1:1');
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await forwarding.pending(100)).length, 60);
    start();
    start();
    await untilNoneWaits();
    const events = await recorded();
    assert.equal(events.length, 60);
    assert.equal(new Set(events.map(({ entityId }) => entityId)).size, 60);
    assert.deepEqual(
      events.map(({ data }) => data.occurredAt),
      events.map(({ data }) => data.occurredAt).toSorted(),
    );
    assert.deepEqual([events[0].data.org, events[0].orgSlug], ['acme', 'acme']);
    assert.ok(!JSON.stringify(events).includes('203.0.113.9'), 'no network address');
  });

  it('tells nothing of logins, nor who was invited', async () => {
    for (const type of ['user.logged_in', 'user.login_failed', 'org.invite_created', 'oauth.grant_created']) {
      await trail.record(auditEvent({ id: `evt_${type}`, type }));
    }
    assert.deepEqual(await forwarding.pending(10), []);
  });

  it('an event that the ledger refuses is logged, and holds up none after it', async () => {
    const before = (await recorded()).length;
    await trail.record({ ...change(70), subject: ' ' });
    await trail.record(change(71));
    start();
    await untilNoneWaits();
    assert.equal((await recorded()).length, before + 1);
    assert.match(JSON.stringify(warnings), /evt_client70.*EVENT_INVALID/);
  });
});
