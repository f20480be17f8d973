import { z } from 'zod';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { hashSchema } from '../../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../../domain/errors.ts';

/** An event as it is stored; `_id` is its id. */
export interface EventDocument extends Omit<LedgerEvent, 'id'> {
  readonly _id: string;
}

const text = z.string();

const eventSchema = z.object({
  _id: text,
  namespace: text,
  chainIndex: z.int().min(0),
  orgSlug: text,
  emitter: text,
  eventType: text,
  entityId: text,
  payload: text,
  createdAt: z.date(),
  prevHash: hashSchema,
  eventHash: hashSchema,
  idempotency: z.object({ key: text, fingerprint: text }).nullable(),
});

/** @throws INTERNAL for a document that is no event; the cause names its fields, never their values */
export function readEvent(document: unknown): LedgerEvent {
  const result = eventSchema.safeParse(document);
  if (!result.success) {
    throw new FairleadError('INTERNAL', 'A stored event has an invalid format', { cause: result.error });
  }
  const { _id, ...rest } = result.data;
  return { id: _id, ...rest };
}

/** Field by field: for a batch of events, copies of the rest are what takes the time. */
export function eventDocument(event: LedgerEvent): EventDocument {
  return {
    _id: event.id,
    namespace: event.namespace,
    chainIndex: event.chainIndex,
    orgSlug: event.orgSlug,
    emitter: event.emitter,
    eventType: event.eventType,
    entityId: event.entityId,
    payload: event.payload,
    createdAt: event.createdAt,
    prevHash: event.prevHash,
    eventHash: event.eventHash,
    idempotency: event.idempotency,
  };
}
