import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';

/** Records what somebody does to a monitor or an incident, before it is done. @throws UNAVAILABLE when it cannot be kept */
export async function recordChange(
  { audit, newId, now }: { readonly audit: AuditRecorder; readonly newId: NewId; readonly now: Clock },
  { requestId, address }: Pick<RouteContext, 'requestId' | 'address'>,
  caller: Caller,
  facts: Pick<AuditEvent, 'type' | 'subject' | 'orgSlug' | 'data'>,
): Promise<void> {
  const event = { id: newId('event'), ...facts, actor: caller.name, requestId, address, time: now() };
  await audit.record(event);
}
