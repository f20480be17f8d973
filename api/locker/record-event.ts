import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import { handleOfItem, type ItemPlace } from '../../domain/locker/item.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { LockerDeps } from './deps.ts';

type Facts = Pick<AuditEvent, 'type' | 'subject' | 'orgSlug' | 'data'>;

/**
 * Records an event before what it tells of, so that no value leaves and nothing changes untold. An event never holds a value.
 * @throws UNAVAILABLE when it cannot be kept
 */
export async function recordEvent(
  { audit, newId, now }: Pick<LockerDeps, 'audit' | 'newId' | 'now'>,
  { caller, requestId, address }: Pick<RouteContext<Caller>, 'caller' | 'requestId' | 'address'>,
  facts: Facts,
): Promise<void> {
  await audit.record({ id: newId('event'), ...facts, actor: caller.name, requestId, address, time: now() });
}

/** What is done to an item: `changed`, `sealed`, `bound`, `unbound`, `removed`. Of a person's own nothing goes to the ledger. */
export function itemEvent(place: ItemPlace, done: string, data: AuditEvent['data'] = {}): Facts {
  const handle = handleOfItem(place);
  const { kind, id } = place.owner;
  const [prefix, orgSlug] = kind === 'org' ? ['locker', id] : ['personal_locker', null];
  return { type: `${prefix}.item_${done}`, subject: handle, orgSlug, data: { handle, ...data } };
}
