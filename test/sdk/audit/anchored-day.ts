import assert from 'node:assert/strict';
import { Contract } from 'ethers';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import type { EventProof } from '../../../domain/audit-ledger/batch.ts';
import { canonicalPayload } from '../../../domain/audit-ledger/canonical.ts';
import { chainAfter } from '../../../domain/audit-ledger/chain.ts';
import { addDays, dayNumber } from '../../../domain/audit-ledger/days.ts';
import type { Hash, LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { sha256 } from '../../../domain/audit-ledger/hash.ts';
import { leafOf, leafOfListed, listedHash } from '../../../domain/audit-ledger/merkle-proof.ts';
import { fromHash, siblingPath, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { signReceipt } from '../../../domain/audit-ledger/receipt.ts';
import { ANCHORER, clockAt, minedReceipt, startAnvil, type TestChain } from '../../support/start-anvil.ts';

export const DAY = '2026-11-10';
export const SIGNER = createLedgerSigner([Buffer.alloc(32, 7)]);

/** Events of a namespace on one day, chained and hashed as the ledger does it. */
export function eventsOfDay(count: number): readonly LedgerEvent[] {
  const drafts = Array.from({ length: count }, (_, index) => ({
    id: `evt_${index}`,
    draft: {
      namespace: 'shop',
      orgSlug: 'acme',
      emitter: 'shop-prod',
      eventType: 'payment.created',
      entityId: `order-${index}`,
      payload: canonicalPayload({ data: { amount: index, currency: 'EUR' }, metadata: { actor: 'usr_1' } }),
      idempotency: null,
    },
  }));
  return chainAfter(null, drafts, new Date(`${DAY}T12:00:00.000Z`));
}

/** The tree over all of them. */
export const treeOf = (events: readonly Pick<LedgerEvent, 'eventHash'>[]) =>
  buildTree(Buffer.concat(events.map(({ eventHash }) => fromHash(eventHash))));

/** What GET /v1/events/:id shows. */
export function shown({ payload, createdAt, idempotency: _, ...event }: LedgerEvent) {
  return { ...event, ...JSON.parse(payload), payloadHash: sha256(payload), createdAt: createdAt.toISOString() };
}

export const receiptOf = (event: LedgerEvent) => signReceipt(event, SIGNER);

/** The proof of one of the events, from the tree over all. */
export function proofOf(events: readonly LedgerEvent[], leafIndex: number, chains: readonly TestChain[]): EventProof {
  const tree = treeOf(events);
  const node = (index: number): Hash => toHash(tree.nodes.subarray(index * 32, (index + 1) * 32));
  const eventHash = events[leafIndex]?.eventHash ?? '0x';
  return {
    eventHash,
    leaf: leafOf(eventHash),
    leafIndex,
    proof: siblingPath(tree.positions[leafIndex] ?? 0).map(node),
    root: node(0),
    batchId: DAY,
    anchors: chains.map(({ chainId, contract }) => ({
      chainId,
      contract,
      txHash: sha256('transaction'),
      blockNumber: 5,
      explorerUrl: null,
    })),
  };
}

/** A chain whose blocks begin ten minutes after the end of {@link DAY}, as those of its night do. */
export const startChainOfNight = (chainId: number): Promise<TestChain> => startAnvil(chainId, clockAt(addDays(DAY, 1)));

/** Writes a root into a contract of a chain, by default its own. */
export async function anchorRoot(chain: TestChain, root: Hash, day = DAY, contract = chain.contract): Promise<void> {
  const registry = new Contract(contract, [...REGISTRY_ABI], ANCHORER.connect(chain.provider));
  const { hash } = await registry.getFunction('anchor')(dayNumber(day), root);
  assert.equal((await minedReceipt(chain, hash)).status, 1);
}

/** The leaf list of events, as the ledger publishes it. */
export function leafListOf(events: readonly Pick<LedgerEvent, 'eventHash'>[], day = DAY): readonly string[] {
  const tree = treeOf(events);
  const head = { batchId: day, root: toHash(tree.nodes.subarray(0, 32)), leafCount: events.length };
  const listed = events.map(({ eventHash }) => listedHash(eventHash));
  listed.sort((one, other) => (leafOfListed(one) < leafOfListed(other) ? -1 : 1));
  return [head, ...listed].map((line) => JSON.stringify(line));
}

export const rootOf = (events: readonly LedgerEvent[]): Hash => proofOf(events, 0, []).root;
