import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPlatformAudit } from '../../../adapters/audit-ledger/platform-audit.ts';
import type { PlatformEvent } from '../../../domain/audit/platform-audit.ts';
import { platformAuditSuite } from '../../ports/platform-audit.ts';
import { KEY, startLedger, type TestLedger } from '../../support/start-ledger.ts';

/** Against the real ledger. */
describe('the platform as an emitter of audit events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-audit-'));
  let ledger: TestLedger;
  before(async () => {
    ledger = await startLedger();
  });
  after(async () => {
    await ledger.stop();
    rmSync(folder, { recursive: true });
  });

  const warnings: unknown[] = [];
  const make = (auditUrl = ledger.address) =>
    createPlatformAudit({
      auditUrl,
      internalKey: KEY,
      namespace: 'builder',
      folder,
      log: { warn: (...args: unknown[]) => void warnings.push(args) },
    });
  const deployed = (number: number) => ({
    eventType: 'service.deployed',
    entityId: 'shop',
    orgSlug: 'acme',
    data: { buildId: `bld_${number}`, org: 'acme' },
    metadata: { actor: 'usr_1' },
    key: `service.deployed/bld_${number}`,
  });
  const recorded = async () => {
    const { body } = await ledger.call('platform', 'GET', '/v1/events?namespace=builder&entityId=shop');
    return body.data.events;
  };

  it('an event that a later process repeats is in the ledger once, in the namespace of its part', async () => {
    const audit = make();
    await audit.record(deployed(1));
    await audit.close();
    const again = make();
    await again.record(deployed(1));
    await again.close();
    const events = await recorded();
    assert.equal(events.length, 1);
    assert.deepEqual(events[0].data, { buildId: 'bld_1', org: 'acme' });
    assert.equal(events[0].orgSlug, 'acme');
    assert.deepEqual(warnings, []);
  });

  it('what is about no org is the platform’s own', async () => {
    const audit = make();
    await audit.record({ ...deployed(1), orgSlug: null, entityId: 'platform', key: 'about-nobody' });
    await audit.close();
    const { body } = await ledger.call('platform', 'GET', '/v1/events?entityId=platform');
    assert.deepEqual(
      body.data.events.map(({ orgSlug }: { orgSlug: string }) => orgSlug),
      ['platform'],
    );
  });

  it('does not hold work up while the ledger is away, and the next process tells it', async () => {
    const audit = make('http://127.0.0.1:1');
    const started = performance.now();
    await audit.record(deployed(2));
    assert.ok(performance.now() - started < 2_000);
    await audit.close({ timeoutMs: 20 });
    assert.equal((await recorded()).length, 1);
    const next = make();
    await next.close();
    assert.equal((await recorded()).length, 2);
  });

  it('processes side by side have outboxes of their own', async () => {
    const both = [make(), make()];
    await Promise.all(both.map((audit, index) => audit.record(deployed(10 + index))));
    await Promise.all(both.map((audit) => audit.close()));
    assert.equal((await recorded()).length, 4);
  });

  it('what the ledger refuses is logged without what it said, and nothing fails', async () => {
    const audit = make();
    await audit.record({ ...deployed(3), eventType: 'Not-A-Type', data: { private: 'of-somebody' } });
    await audit.close();
    assert.equal(warnings.length, 1);
    assert.match(JSON.stringify(warnings), /an audit event is lost/);
    assert.ok(!JSON.stringify(warnings).includes('of-somebody'));
  });

  platformAuditSuite(() => {
    const audit = make();
    return {
      audit,
      async told(entityId) {
        await audit.close();
        const { body } = await ledger.call('platform', 'GET', `/v1/events?namespace=builder&entityId=${entityId}`);
        assert.ok(body.data.events.every(({ namespace }: { namespace: string }) => namespace === 'builder'));
        return body.data.events
          .toReversed()
          .map(({ eventType, orgSlug, data, metadata }: Omit<PlatformEvent, 'key' | 'entityId'>) => {
            return { eventType, entityId, orgSlug, data, metadata };
          });
      },
    };
  });
});
