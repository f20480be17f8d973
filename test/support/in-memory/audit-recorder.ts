import { type PendingEvent, pendingEvent } from '../../../domain/audit/pending-event.ts';
import type { AuditRecorder } from '../../../domain/audit/ports.ts';
import { isEventType } from '../../../domain/audit-ledger/grammar.ts';
import type { ToldEvent } from '../../ports/audit-recorder.ts';

export interface InMemoryAudit extends AuditRecorder {
  /** What the ledger was told, oldest first. */
  readonly told: () => readonly ToldEvent[];
}

/** The audit ledger of this process: each id once, and nothing that the ledger would refuse. */
export function createInMemoryAudit(): InMemoryAudit {
  const events = new Map<string, PendingEvent>();
  return {
    async record(event) {
      if (isEventType(event.type) && !events.has(event.id)) events.set(event.id, pendingEvent(event, 'builder'));
    },
    told: () => [...events.values()].map(toldEvent),
  };
}

function toldEvent({ body }: PendingEvent): ToldEvent {
  const { eventType, entityId, orgSlug = 'platform', data, metadata } = JSON.parse(body);
  return { eventType, entityId, orgSlug, data, metadata };
}
