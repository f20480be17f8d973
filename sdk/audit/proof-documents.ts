import { z } from 'zod';
import { eventProofSchema } from '../../domain/audit-ledger/anchoring-schema.ts';
import type { EventProof } from '../../domain/audit-ledger/batch.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { receiptSchema } from './ledger-connection.ts';

/** A tree of 2^63 leaves is not built. */
const MAX_PROOF_LENGTH = 64;

const proofSchema = eventProofSchema.extend({ proof: z.array(hashSchema).max(MAX_PROOF_LENGTH) });

/** An event as the ledger shows it; without data and metadata its `payloadHash` stands for them. */
const shownEventSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  chainIndex: z.int().min(0),
  orgSlug: z.string(),
  emitter: z.string(),
  eventType: z.string(),
  entityId: z.string(),
  data: z.unknown().optional(),
  metadata: z.unknown().optional(),
  createdAt: z.iso.datetime().transform((text) => new Date(text)),
  payloadHash: hashSchema,
  prevHash: hashSchema,
});

export type ShownEvent = z.output<typeof shownEventSchema>;

/** A proof as GET /v1/proofs/:eventId answers it, with or without its envelope. @throws VALIDATION_FAILED */
export const parseProof = (document: unknown): EventProof => parse('proof', proofSchema, document);

/** An event as GET /v1/events/:id answers it, with or without its envelope. @throws VALIDATION_FAILED */
export const parseEvent = (document: unknown): ShownEvent => parse('event', shownEventSchema, document);

/** A receipt, or the answer of an emit that holds one, with or without its envelope. @throws VALIDATION_FAILED */
export const parseReceipt = (document: unknown) => {
  const emitted = z.object({ receipt: z.unknown() }).safeParse(withoutEnvelope(document));
  return parse('receipt', receiptSchema, emitted.success ? emitted.data.receipt : document);
};

function parse<T>(what: string, schema: z.ZodType<T>, document: unknown): T {
  const result = schema.safeParse(withoutEnvelope(document));
  if (result.success) return result.data;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `This is no ${what} of an audit ledger:\n${z.prettifyError(result.error)}`,
  );
}

/** What a reply says. */
export function withoutEnvelope(document: unknown): unknown {
  const envelope = z.object({ success: z.literal(true), data: z.unknown() }).safeParse(document);
  return envelope.success ? envelope.data.data : document;
}
