import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { PropertiesDeps } from './deps.ts';
import { actorOf } from './site-callers.ts';

/**
 * Records what a person or a service has done to a Property, before it is done. The client is told beside the person whom
 * it acts for.
 * @throws UNAVAILABLE when it cannot be kept
 */
export async function recordChange(
  { audit, newId, now }: Pick<PropertiesDeps, 'audit' | 'newId' | 'now'>,
  { caller, requestId, address }: Pick<RouteContext<Caller>, 'caller' | 'requestId' | 'address'>,
  facts: Pick<AuditEvent, 'type' | 'subject' | 'data'>,
): Promise<void> {
  const client = caller.kind === 'service' && caller.actingUser !== undefined ? { client: caller.clientId } : {};
  await audit.record({
    ...{ id: newId('event'), ...facts, data: { ...facts.data, ...client } },
    ...{ actor: actorOf(caller), orgSlug: null, requestId, address, time: now() },
  });
}
