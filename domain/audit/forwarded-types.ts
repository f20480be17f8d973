import type { AuditEvent } from './audit-event.ts';

/**
 * What the ledger is told of the identity provider: changes to clients, orgs and keys. Not who logs in when: that is
 * personal, there is much of it, and what the ledger has cannot be taken back. Invitations name people by address.
 */
const FORWARDED = /^(?:oauth\.(?:client|llm)_|org\.(?!invite_)|keys\.)/;

export function isForwarded({ type }: Pick<AuditEvent, 'type'>): boolean {
  return FORWARDED.test(type);
}
