import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createOutboxRecorder, type OutboxRecorderOptions } from '../../../adapters/audit-ledger/outbox-recorder.ts';
import type { AuditEvent } from '../../../domain/audit/audit-event.ts';
import { auditRecorderSuite, type ToldEvent } from '../../ports/audit-recorder.ts';
import { KEY, startLedger, type TestLedger } from '../../support/start-ledger.ts';

/** Against the real ledger. */
describe('the outbox of a part of the platform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-recorder-'));
  let ledger: TestLedger;
  before(async () => {
    ledger = await startLedger();
  });
  after(async () => {
    await ledger.stop();
    rmSync(folder, { recursive: true });
  });

  const warnings: unknown[] = [];
  const make = (changes: Partial<OutboxRecorderOptions> = {}) =>
    createOutboxRecorder({
      auditUrl: ledger.address,
      internalKey: KEY,
      namespace: 'builder',
      folder,
      log: { warn: (...args: unknown[]) => void warnings.push(args) },
      ...changes,
    });
  const deployed = (number: number): AuditEvent => ({
    id: `service.deployed/bld_${number}`,
    type: 'service.deployed',
    actor: 'usr_1',
    subject: 'shop',
    orgSlug: 'acme',
    data: { buildId: `bld_${number}`, org: 'tenant' },
    requestId: 'req_1',
    address: null,
    time: null,
  });
  async function recorded(entityId = 'shop'): Promise<ToldEvent[]> {
    const { body } = await ledger.call('platform', 'GET', `/v1/events?namespace=builder&entityId=${entityId}`);
    return body.data.events
      .toReversed()
      .map(({ eventType, orgSlug, data, metadata }: ToldEvent) => ({ eventType, entityId, orgSlug, data, metadata }));
  }

  it('an event that a later process repeats is in the ledger once, as it was recorded', async () => {
    for (const _ of ['first process', 'second process']) {
      const audit = make();
      await audit.record(deployed(1));
      await audit.close();
    }
    assert.deepEqual(await recorded(), [
      {
        eventType: 'service.deployed',
        entityId: 'shop',
        orgSlug: 'acme',
        data: { buildId: 'bld_1', org: 'tenant' },
        metadata: { actor: 'usr_1', requestId: 'req_1' },
      },
    ]);
    assert.deepEqual(warnings, []);
  });

  it('delays no work while the ledger is down; the next process sends the events', async () => {
    const audit = make({ auditUrl: 'http://127.0.0.1:1' });
    await audit.record(deployed(2));
    await audit.close({ timeoutMs: 60_000 });
    assert.equal((await recorded()).length, 1, 'the ledger did not answer, so the end was not waited for');
    assert.match(JSON.stringify(warnings.splice(0)), /audit events wait/);
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

  it('one process tells what several that ended have left', async () => {
    const away = { auditUrl: 'http://127.0.0.1:1', namespace: 'several' };
    const gone = [make(away), make(away), make(away)];
    for (const [index, audit] of gone.entries()) await audit.record(deployed(40 + index));
    for (const audit of gone) await audit.close();
    warnings.length = 0;
    await make({ namespace: 'several' }).close();
    const { body } = await ledger.call('platform', 'GET', '/v1/events?namespace=several');
    const told: ToldEvent[] = body.data.events.toReversed();
    assert.deepEqual(
      told.map(({ data }) => data.buildId),
      ['bld_40', 'bld_41', 'bld_42'],
    );
    assert.deepEqual(warnings, []);
  });

  it('keeps what the ledger refuses aside; the log does not say what it said', async () => {
    const audit = make();
    await audit.record({ ...deployed(3), type: 'Not-A-Type', data: { private: 'of-somebody' } });
    await audit.close();
    assert.match(JSON.stringify(warnings), /service.deployed\/bld_3.*the audit ledger refuses an event/);
    assert.ok(!JSON.stringify(warnings.splice(0)).includes('of-somebody'));
    const [line = ''] = readFileSync(join(folder, 'builder-1', 'refused.jsonl'), 'utf8').split('\n');
    const { key, body, refusal } = JSON.parse(line);
    assert.deepEqual([key, JSON.parse(body).data], ['service.deployed/bld_3', { private: 'of-somebody' }]);
    assert.equal(refusal.code, 'EVENT_INVALID');
  });

  it('drops events that no longer fit and reports them, and the work continues', async () => {
    const audit = make({ auditUrl: 'http://127.0.0.1:1', namespace: 'small', maxEvents: 2 });
    for (const number of [20, 21, 22]) await audit.record(deployed(number));
    await audit.close();
    const lost = JSON.stringify(warnings.splice(0));
    assert.match(lost, /"subject":"shop","lostSoFar":1.*an audit event is lost/);
    const next = make({ namespace: 'small' });
    await next.close();
    const { body } = await ledger.call('platform', 'GET', '/v1/events?namespace=small');
    assert.equal(body.data.events.length, 2);
  });

  it('is closed once, and accepts nothing after that', async () => {
    const audit = make();
    await Promise.all([audit.close(), audit.close()]);
    await audit.record(deployed(30));
    assert.match(JSON.stringify(warnings.splice(0)), /an audit event is lost/);
    await make().close();
  });

  auditRecorderSuite(() => {
    const audit = make();
    const told = async (entityId: string): Promise<ToldEvent[]> => {
      await audit.close();
      return await recorded(entityId);
    };
    return { audit, told };
  });
});
