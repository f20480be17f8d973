import { chainAfter } from '../../../domain/audit-ledger/chain.ts';
import type { ChainHead, EventDraft, LedgerEvent } from '../../../domain/audit-ledger/event.ts';

let made = 0;

/** A draft of `payment.created`, or what is given. */
export function draftOf(changes: Partial<EventDraft> = {}): EventDraft {
  return {
    namespace: 'payments',
    orgSlug: 'acme',
    emitter: 'payments-prod',
    eventType: 'payment.created',
    entityId: 'order-1',
    payload: '{"data":{"amount":1},"metadata":{}}',
    idempotency: null,
    ...changes,
  };
}

/** Events chained to a head, with ids of their own, created a second apart from 2026-11-20T12:00:00Z on. */
export function eventsAfter(
  head: ChainHead | null,
  drafts: readonly Partial<EventDraft>[],
  from = new Date('2026-11-20T12:00:00.000Z'),
): readonly LedgerEvent[] {
  const events: LedgerEvent[] = [];
  for (const [index, draft] of drafts.entries()) {
    made += 1;
    const id = `evt_test${String(made).padStart(16, '0')}`;
    const now = new Date(from.getTime() + index * 1000);
    events.push(...chainAfter(events.at(-1) ?? head, [{ id, draft: draftOf(draft) }], now));
  }
  return events;
}
