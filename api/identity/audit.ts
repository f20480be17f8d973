import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from './deps.ts';

/** The part of an event that only the place it happens in knows. */
export type AuditFacts = Pick<AuditEvent, 'type' | 'actor' | 'subject' | 'orgSlug'> & Partial<Pick<AuditEvent, 'data'>>;

/** Keeps an audit event with its request and address. @throws UNAVAILABLE when it cannot be kept. */
export async function audit(
  deps: Pick<IdentityDeps, 'audit' | 'newId' | 'now'>,
  context: Pick<RouteContext, 'requestId' | 'address'> | null,
  facts: AuditFacts,
): Promise<void> {
  await deps.audit.record({
    data: {},
    ...facts,
    id: deps.newId('event'),
    requestId: context?.requestId ?? null,
    address: context?.address ?? null,
    time: deps.now(),
  });
}
