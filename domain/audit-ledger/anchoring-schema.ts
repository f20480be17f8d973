import { z } from 'zod';
import type { ProofAnchor } from './batch.ts';
import type { CheckedBatch } from './checked-batch.ts';
import { isDay } from './days.ts';
import { hashSchema } from './schema.ts';

/** Shapes of what the ledger tells about batches and anchors; the API answers with them and clients parse by them. */

export const daySchema = z.string().refine(isDay, 'must be a day (UTC) such as 2026-11-21');

/** See {@link SignatureCheck}. */
export const signatureCheckSchema = z.enum(['good', 'missing', 'wrong']).meta({
  description:
    'Whether the ledger signed this record of its database. missing: it is from before records were signed, or the signature ' +
    'was taken off; wrong: the record is not as the ledger wrote it. The chains are not asked: verify does that',
});

export const proofAnchorSchema = z.object({
  chainId: z.int(),
  contract: z.string(),
  txHash: hashSchema,
  blockNumber: z.int(),
  explorerUrl: z.string().nullable().meta({ description: '<explorer>/tx/<hash>' }),
  signature: signatureCheckSchema.exactOptional(),
});

/** A proof object (spec 3, "Audit event"). */
export const eventProofSchema = z.object({
  eventHash: hashSchema,
  leaf: hashSchema.meta({ description: 'keccak256(keccak256(abi.encode(bytes32 eventHash)))' }),
  leafIndex: z.int().meta({ description: 'Position in the batch' }),
  proof: z.array(hashSchema).meta({ description: 'Siblings from the leaf up; pairs are hashed in ascending order' }),
  root: hashSchema,
  batchId: daySchema.meta({ description: 'The day; on chain it is the number of days since 1970-01-01' }),
  signature: signatureCheckSchema.exactOptional(),
  anchors: z.array(proofAnchorSchema),
});

/** One night: which root should stand on which chains, and where it stands. */
export const anchoredDaySchema = z.object({
  batchId: daySchema,
  root: hashSchema,
  signature: signatureCheckSchema,
  closedAt: z.string(),
  chainIds: z.array(z.int()).meta({ description: 'Chains it was to be anchored on; one without an anchor was missed' }),
  anchors: z.array(proofAnchorSchema.extend({ confirmedAt: z.string(), signature: signatureCheckSchema })),
});

const leafSchema = z.object({
  leafIndex: z.int(),
  eventHash: hashSchema,
  eventId: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  chainIndex: z.int().exactOptional(),
});

export const batchSchema = anchoredDaySchema.extend({
  leafCount: z.int(),
  leaves: z.array(leafSchema).meta({ description: 'In order; of events of other orgs only the hash' }),
});

/** The anchors as a proof carries them. */
export function proofAnchors({ anchors }: Pick<CheckedBatch, 'anchors'>): readonly ProofAnchor[] {
  return anchors.map(({ chainId, contract, txHash, blockNumber, explorerUrl, signature }) => {
    return { chainId, contract, txHash, blockNumber, explorerUrl, signature };
  });
}
