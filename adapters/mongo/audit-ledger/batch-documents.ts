import { Binary } from 'mongodb';
import { z } from 'zod';
import type { Anchor, Batch, RecordSignature } from '../../../domain/audit-ledger/batch.ts';
import { isDay } from '../../../domain/audit-ledger/days.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import type { BatchContent, BatchSegment } from '../../../domain/audit-ledger/ports.ts';

/** Documents of batches, parsed on the way out. Leaves and nodes are packed: a full day has close to a million. */

export const LEAVES_PER_CHUNK = 1_024;

const HASH_BYTES = 32;

const hash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]) as z.ZodType<Hash>;
const day = z.string().refine(isDay);
const bytes = z.instanceof(Binary).transform((binary) => binary.buffer.subarray(0, binary.position));

const signatureSchema: z.ZodType<RecordSignature> = z.object({ keyId: z.string(), signature: z.string() });

const anchorSchema: z.ZodType<Anchor> = z.object({
  chainId: z.int(),
  contract: z.string(),
  txHash: hash,
  blockNumber: z.int(),
  blockHash: hash,
  confirmedAt: z.date(),
  explorerUrl: z.string().nullable(),
  signature: signatureSchema.exactOptional(),
});

const batchSchema = z.object({
  _id: day,
  root: hash,
  leafCount: z.int().min(0),
  chainIds: z.array(z.int()),
  // One that cannot be read is none: the chain is asked again.
  anchors: z
    .array(z.unknown())
    .transform((anchors) => anchors.flatMap((one) => anchorSchema.safeParse(one).data ?? [])),
  closedAt: z.date(),
  signature: signatureSchema.exactOptional(),
});

const segmentSchema = z.object({
  batchId: day,
  root: hash,
  namespace: z.string(),
  firstChainIndex: z.int().min(0),
  firstLeafIndex: z.int().min(0),
  count: z.int().min(1),
});

const namespaceSchema = z.object({ segments: z.array(segmentSchema.omit({ batchId: true, root: true })) });

const leavesSchema = z.object({
  firstLeafIndex: z.int().min(0),
  hashes: bytes,
  positions: bytes,
  ids: z.array(z.string()),
  orgs: z.array(z.string()),
  orgOf: bytes,
});

const nodesSchema = z.object({ _id: z.string(), nodes: bytes });

/** Null for a document of another shape, which is as good as none: the ledger writes no such record. */
export function readBatch(document: unknown): Batch | null {
  const { success, data } = batchSchema.safeParse(document);
  if (!success) return null;
  const { _id, ...rest } = data;
  return { id: _id, ...rest };
}

export function readSegment(document: unknown): BatchSegment & { readonly batchId: string; readonly root: Hash } {
  return segmentSchema.parse(document);
}

/** The segments of one namespace in a batch. */
export function readNamespace(document: unknown): readonly BatchSegment[] {
  return namespaceSchema.parse(document).segments;
}

export function readNodes(document: unknown): Uint8Array {
  return nodesSchema.parse(document).nodes;
}

/** Some leaves that follow each other. */
export interface LeafChunk {
  readonly firstLeafIndex: number;
  readonly count: number;
  eventHash(leafIndex: number): Uint8Array;
  /** Place of the leaf in the tree. */
  position(leafIndex: number): number;
  eventId(leafIndex: number): string;
  orgSlug(leafIndex: number): string;
}

export function readLeaves(document: unknown): LeafChunk {
  const { firstLeafIndex, hashes, positions, ids, orgs, orgOf } = leavesSchema.parse(document);
  const at = (leafIndex: number): number => leafIndex - firstLeafIndex;
  const places = new DataView(positions.buffer, positions.byteOffset, positions.byteLength);
  const owners = new DataView(orgOf.buffer, orgOf.byteOffset, orgOf.byteLength);
  return {
    firstLeafIndex,
    count: ids.length,
    eventHash: (leaf) => hashes.subarray(at(leaf) * HASH_BYTES, (at(leaf) + 1) * HASH_BYTES),
    position: (leaf) => places.getUint32(at(leaf) * 4),
    eventId: (leaf) => ids[at(leaf)] ?? '',
    orgSlug: (leaf) => orgs[owners.getUint16(at(leaf) * 2)] ?? '',
  };
}

/** The document of the leaves from one index on, at most {@link LEAVES_PER_CHUNK} of them. */
export function leavesDocument(root: Hash, content: BatchContent, firstLeafIndex: number) {
  const end = Math.min(firstLeafIndex + LEAVES_PER_CHUNK, content.eventIds.length);
  const slugs = content.orgSlugs.slice(firstLeafIndex, end);
  const orgs = [...new Set(slugs)];
  const numbers = new Map(orgs.map((slug, number) => [slug, number]));
  const positions = Buffer.alloc((end - firstLeafIndex) * 4);
  const orgOf = Buffer.alloc((end - firstLeafIndex) * 2);
  slugs.forEach((slug, index) => {
    positions.writeUInt32BE(content.tree.positions[firstLeafIndex + index] ?? 0, index * 4);
    orgOf.writeUInt16BE(numbers.get(slug) ?? 0, index * 2);
  });
  return {
    _id: `${root}/${firstLeafIndex}`,
    root,
    firstLeafIndex,
    hashes: new Binary(content.eventHashes.slice(firstLeafIndex * HASH_BYTES, end * HASH_BYTES)),
    positions: new Binary(positions),
    ids: content.eventIds.slice(firstLeafIndex, end),
    orgs,
    orgOf: new Binary(orgOf),
  };
}
