import { forwardEvents } from '../../adapters/audit-ledger/forward-events.ts';
import { countUntold, createTrailSource } from '../../adapters/mongo/audit/trail-source.ts';
import type { AuditTrail } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { StoringServiceName } from '../../domain/services.ts';
import type { ServiceParts } from '../service-definition.ts';

type Parts = ServiceParts<unknown, StoringServiceName>;

const DRAIN_MS = 5_000;
/** What a process that died recorded, and did not tell, waits no longer than this. */
const POLL_MS = 30_000;

/**
 * An audit trail in the database of a service, of which the audit ledger is told, where there is one.
 * @param namespace of the events in the ledger
 */
export function toldToLedger(
  trail: AuditTrail,
  { settings, mongo: { db }, log, opened, metrics }: Pick<Parts, 'settings' | 'mongo' | 'log' | 'opened' | 'metrics'>,
  { now, namespace }: { readonly now: Clock; readonly namespace: string },
): AuditTrail {
  const { urls, internalKey } = settings;
  const auditUrl = urls['audit-ledger'];
  if (auditUrl === undefined) return trail;
  const onUnreadable = (id: string, err: unknown) => log.warn({ id, err }, 'an audit event cannot be read');
  const source = createTrailSource({ db, now, namespace, onUnreadable });
  const forwarder = forwardEvents({ source, auditUrl, internalKey, log, pollMs: POLL_MS });
  metrics?.outbox(`audit/${namespace}`, () => countUntold(db));
  opened.defer(() => forwarder.finish({ timeoutMs: DRAIN_MS }));
  return {
    ...trail,
    async record(event) {
      await trail.record(event);
      forwarder.wake();
    },
  };
}
