import type { AuditEvent } from './audit-event.ts';
import type { PlatformEvent } from './platform-audit.ts';

/**
 * What the ledger is told of the identity provider: changes to clients, orgs and keys. Not who logs in when: that is
 * personal, there is much of it, and what the ledger has cannot be taken back. Invitations name people by address.
 */
const FORWARDED = /^(?:oauth\.(?:client|llm)_|org\.(?!invite_)|keys\.)/;

export function isForwarded({ type }: Pick<AuditEvent, 'type'>): boolean {
  return FORWARDED.test(type);
}

/** The event for the ledger, without the network address it came from. */
export function forwardedEvent(event: AuditEvent): PlatformEvent {
  const { id, type, actor, subject, orgSlug, data, requestId, time } = event;
  return {
    eventType: type,
    entityId: subject,
    orgSlug,
    data: { ...data, org: orgSlug, occurredAt: time.toISOString() },
    metadata: { actor, requestId },
    key: id,
  };
}
