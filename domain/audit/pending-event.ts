import type { AuditEvent } from './audit-event.ts';

/** An event on its way to the ledger. Under its key the ledger takes it once, however often it is sent. */
export interface PendingEvent {
  readonly key: string;
  /** The body of the emit, as JSON. */
  readonly body: string;
}

/**
 * What the ledger is told of an event, without the network address it came from. An event with a time of its own may be
 * told long after it happened, so its data says when that was, and of which org it was then.
 *
 * @param namespace the part of the platform that tells it
 */
export function pendingEvent(event: AuditEvent, namespace: string): PendingEvent {
  const { id, type, actor, subject, orgSlug, data, requestId, why, time } = event;
  const body = {
    namespace,
    eventType: type,
    entityId: subject,
    ...(orgSlug === null ? {} : { orgSlug }),
    data: time === null ? data : { ...data, org: orgSlug, occurredAt: time.toISOString() },
    metadata: why === undefined ? { actor, requestId } : { actor, why },
  };
  return { key: id, body: JSON.stringify(body) };
}
