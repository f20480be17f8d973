import type { AuditEvent } from './audit-event.ts';

/**
 * What the ledger is told of the audit trails of services: changes to clients, orgs and keys, credits of wallets, and what
 * is done to and with credentials of orgs, to domains, and to monitors and incidents by people. Not who logs in when: that is personal, there is much of it, and what the ledger
 * has cannot be taken back. Invitations name people by address.
 */
const FORWARDED =
  /^(?:oauth\.(?:client|llm)_|org\.(?!invite_)|keys\.|wallet\.|locker\.|webmaster\.|monitor\.|incident\.)/;

export function isForwarded({ type }: Pick<AuditEvent, 'type'>): boolean {
  return FORWARDED.test(type);
}
