import { z } from 'zod';
import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import type { LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { sha256 } from '../../domain/audit-ledger/hash.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';

/** An event as callers see it. With its canonical `payloadHash`, everything that its hash covers. */
export const eventViewSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  chainIndex: z.int(),
  orgSlug: z.string(),
  emitter: z.string(),
  eventType: z.string(),
  entityId: z.string(),
  data: z.unknown(),
  metadata: z.unknown(),
  createdAt: z.string(),
  payloadHash: hashSchema,
  prevHash: hashSchema,
  eventHash: hashSchema,
});

export function eventView(event: LedgerEvent): z.input<typeof eventViewSchema> {
  const { idempotency: _, payload, createdAt, ...fields } = event;
  const { data, metadata } = readPayload(payload);
  return { ...fields, data, metadata, createdAt: createdAt.toISOString(), payloadHash: sha256(payload) };
}
