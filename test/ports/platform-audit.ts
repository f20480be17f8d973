import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlatformAudit, PlatformEvent } from '../../domain/audit/platform-audit.ts';

export interface AuditUnderTest {
  readonly audit: PlatformAudit;
  /** What the ledger has of an entity, oldest first, once everything recorded so far was sent. Ends the audit. */
  told(entityId: string): Promise<readonly Omit<PlatformEvent, 'key'>[]>;
}

const deployed = (entityId: string, changes: Partial<PlatformEvent> = {}): PlatformEvent => ({
  eventType: 'service.deployed',
  entityId,
  orgSlug: 'acme',
  data: { buildId: 'bld_1', org: 'acme' },
  metadata: { actor: 'usr_1', requestId: 'req_1' },
  key: `service.deployed/${entityId}/bld_1`,
  ...changes,
});

/** What every {@link PlatformAudit} guarantees. */
export function platformAuditSuite(create: () => AuditUnderTest): void {
  describe('PlatformAudit', () => {
    it('tells the ledger what it was given', async () => {
      const { audit, told } = create();
      const { key, ...event } = deployed('suite-whole');
      await audit.record({ ...event, key });
      assert.deepEqual(await told('suite-whole'), [event]);
    });

    it('under one key an event is told once, however often and at once it comes', async () => {
      const { audit, told } = create();
      await Promise.all(Array.from({ length: 10 }, () => audit.record(deployed('suite-once'))));
      await audit.record(deployed('suite-once'));
      await audit.record(deployed('suite-once', { key: 'service.deployed/suite-once/bld_2' }));
      assert.equal((await told('suite-once')).length, 2);
    });

    it('an event that the ledger refuses fails nothing and keeps no other back', async () => {
      const { audit, told } = create();
      await audit.record(deployed('suite-refused', { eventType: 'Not-A-Type', key: 'not-a-type/suite-refused' }));
      await audit.record(deployed('suite-refused'));
      assert.deepEqual(
        (await told('suite-refused')).map(({ eventType }) => eventType),
        ['service.deployed'],
      );
    });
  });
}
