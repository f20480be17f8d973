import type { z } from 'zod';
import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import type { LedgerEvent } from '../../domain/audit-ledger/event.ts';
import type { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import { sha256 } from '../../domain/audit-ledger/hash.ts';

export function eventView(event: LedgerEvent): z.input<typeof eventViewSchema> {
  const { idempotency: _, payload, createdAt, ...fields } = event;
  const { data, metadata } = readPayload(payload);
  return { ...fields, data, metadata, createdAt: createdAt.toISOString(), payloadHash: sha256(payload) };
}
