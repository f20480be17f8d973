import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from './deps.ts';

/** The part of an event that only the place it happens in knows; an id for one that is recorded before what it tells of. */
export type AuditFacts = Pick<AuditEvent, 'type' | 'actor' | 'subject' | 'orgSlug'> &
  Partial<Pick<AuditEvent, 'data' | 'id'>>;

/**
 * Id of the event of a change that is recorded before it is made, so that no kill in between loses it. Whoever repeats the
 * change finds the client as it was, and records the event under the same id, which keeps it once.
 */
export function idBeforeChange(type: string, { clientId, updatedAt }: ClientRecord): string {
  return `${type}/${clientId}/${updatedAt.getTime()}`;
}

/** Keeps an audit event with its request and address. @throws UNAVAILABLE when it cannot be kept. */
export async function audit(
  deps: Pick<IdentityDeps, 'audit' | 'newId' | 'now'>,
  context: Pick<RouteContext, 'requestId' | 'address'> | null,
  facts: AuditFacts,
): Promise<void> {
  await deps.audit.record({
    data: {},
    id: deps.newId('event'),
    ...facts,
    requestId: context?.requestId ?? null,
    address: context?.address ?? null,
    time: deps.now(),
  });
}
