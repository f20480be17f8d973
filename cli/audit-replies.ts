import { z } from 'zod';

/**
 * What the command line reads of the ledger's replies; the rest stays untouched, so that `--json` shows what a newer
 * ledger says, and proofs are written as they came.
 */
const text = z.string();

export const auditEventReply = z.looseObject({
  id: text,
  namespace: text,
  chainIndex: z.int(),
  orgSlug: text,
  emitter: text,
  eventType: text,
  entityId: text,
  data: z.record(text, z.unknown()).default({}),
  metadata: z.record(text, z.unknown()).default({}),
  createdAt: text,
  eventHash: text,
});

export const auditEventPage = z.looseObject({ events: z.array(auditEventReply), nextCursor: text.nullish() });

export const proofReply = z.looseObject({
  eventHash: text,
  leafIndex: z.int(),
  root: text,
  batchId: text,
  proof: z.array(text),
  anchors: z.array(
    z.looseObject({
      chainId: z.int(),
      txHash: text,
      blockNumber: z.int(),
      explorerUrl: text.nullish(),
      signature: text.optional(),
    }),
  ),
});

export const verdictReply = z.looseObject({
  valid: z.boolean(),
  brokenAt: z.looseObject({ namespace: text, chainIndex: z.int() }).nullish(),
  reason: text.nullish(),
  count: z.int(),
});

/** A verification that goes on in the background. */
export const verificationReply = z.looseObject({
  verificationId: text,
  status: z.enum(['running', 'completed', 'failed']),
  verdict: verdictReply.nullish(),
});

/** What a request for verification is answered with: the verdict, or where to ask for it. */
export const historyReply = z.union([
  verificationReply.transform(({ verificationId }) => ({ verificationId })),
  verdictReply.transform((verdict) => ({ verdict })),
]);

export type AuditEventReply = z.infer<typeof auditEventReply>;
export type ProofReply = z.infer<typeof proofReply>;
export type VerdictReply = z.infer<typeof verdictReply>;
