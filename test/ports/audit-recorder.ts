import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { AuditRecorder } from '../../domain/audit/ports.ts';

/** An event as the ledger has it. */
export interface ToldEvent {
  readonly eventType: string;
  readonly entityId: string;
  readonly orgSlug: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface RecorderUnderTest {
  readonly audit: AuditRecorder;
  /** What the ledger has of an entity, oldest first, once everything recorded so far was sent. Ends the recorder. */
  told(entityId: string): Promise<readonly ToldEvent[]>;
}

const TIME = new Date('2026-01-02T03:04:05.678Z');

const changed = (subject: string, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  id: `client_updated/${subject}/1`,
  type: 'oauth.client_updated',
  actor: 'usr_1',
  subject,
  orgSlug: 'acme',
  data: { name: 'Shop', scopes: ['a', 'b'], confidential: true, port: 8080, icon: null },
  requestId: 'req_1',
  address: '192.0.2.7',
  time: TIME,
  ...changes,
});

/** What every {@link AuditRecorder} guarantees. */
export function auditRecorderSuite(create: () => RecorderUnderTest): void {
  describe('AuditRecorder', () => {
    it('has the ledger told what was recorded and when, without the address it came from', async () => {
      const { audit, told } = create();
      const event = changed('suite-whole');
      await audit.record(event);
      const entityId = 'suite-whole';
      assert.deepEqual(await told(entityId), [
        {
          eventType: event.type,
          entityId,
          orgSlug: 'acme',
          data: { ...event.data, org: 'acme', occurredAt: TIME.toISOString() },
          metadata: { actor: 'usr_1', requestId: 'req_1' },
        },
      ]);
    });

    it('says why in the place of a request, and leaves what is about no org to the platform', async () => {
      const { audit, told } = create();
      await audit.record(changed('suite-why', { orgSlug: null, requestId: null, why: 'first workload' }));
      const [event] = await told('suite-why');
      assert.deepEqual(event?.metadata, { actor: 'usr_1', why: 'first workload' });
      assert.equal(event?.orgSlug, 'platform');
    });

    it('sends an event once under one id, as first recorded, even when it comes many times at once', async () => {
      const { audit, told } = create();
      await audit.record(changed('suite-once'));
      await Promise.all(Array.from({ length: 10 }, () => audit.record(changed('suite-once'))));
      await audit.record(changed('suite-once', { id: 'client_updated/suite-once/2', actor: 'usr_2' }));
      const events = await told('suite-once');
      assert.deepEqual(
        events.map(({ metadata }) => metadata.actor),
        ['usr_1', 'usr_2'],
      );
    });

    it('an event that the ledger refuses fails no call and delays no other event', async () => {
      const { audit, told } = create();
      await audit.record(changed('suite-refused', { id: 'no-type/suite-refused', type: 'oauth.client_!' }));
      await audit.record(changed('suite-refused'));
      assert.deepEqual(
        (await told('suite-refused')).map(({ eventType }) => eventType),
        ['oauth.client_updated'],
      );
    });
  });
}
