import type { EventDocument } from '../../../adapters/mongo/audit-ledger/event-document.ts';

const CONTENT = {
  data: { amount: 129.9, currency: 'EUR', reference: 'inv_2026_0042' },
  metadata: { actor: 'usr_1', reason: 'checkout' },
};

/** Canonical JSON of what the benches' events say. */
export const EVENT_PAYLOAD = JSON.stringify(CONTENT);

/** What a client sends for such an event. */
export function emitBody() {
  return { namespace: 'shop', eventType: 'payment.created', entityId: 'order-1', ...CONTENT };
}

/** A document as large as the ledger's own, chained to nothing. */
export function documentLike(chainIndex: number, payload: string): EventDocument {
  return {
    _id: `evt_${String(chainIndex).padStart(20, '0')}`,
    namespace: 'shop',
    chainIndex,
    orgSlug: 'platform',
    emitter: 'internal',
    eventType: 'payment.created',
    entityId: 'order-1',
    payload,
    createdAt: new Date(),
    prevHash: `0x${'ab'.repeat(32)}`,
    eventHash: `0x${'cd'.repeat(32)}`,
    idempotency: null,
  };
}
