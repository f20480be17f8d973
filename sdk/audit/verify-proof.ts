import type { EventProof } from '../../domain/audit-ledger/batch.ts';
import { addDays, endOfDay } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { NodeSilence } from '../../domain/audit-ledger/json-rpc.ts';
import { leafOf, rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { checkEvent, checkReceipt } from './check-documents.ts';
import type { ProofCheck } from './proof-check.ts';
import type { ShownEvent } from './proof-documents.ts';
import { type ReadAnchor, readAnchor } from './read-anchor.ts';
import { REGISTRY_CODES } from './registry-code.ts';

export interface ProofInput {
  readonly proof: EventProof;
  /** Nodes to ask, by JSON-RPC over HTTP: one of each chain at least, better from different providers. */
  readonly rpcUrls: readonly string[];
  /** Address of the anchor registry as you know it from elsewhere; without it the proof's own is asked, and nothing is proven. */
  readonly contract?: string;
  /** The event itself: shows that the proof is about it. */
  readonly event?: ShownEvent;
  readonly receipt?: Receipt;
  /** Ed25519 keys of the ledger, 32 bytes in base64 each, that the receipt may be signed with. */
  readonly keys?: readonly string[];
  readonly fetch?: typeof fetch;
}

/**
 * `proven`: the event was in the ledger when the root was anchored. `refuted`: something contradicts that. `undecided`:
 * nothing does, but something is missing that proves it: the address of the contract, known code at it, or two chains that
 * answer and that hold the root since the day after the event's.
 */
export interface ProofVerdict {
  readonly verdict: 'proven' | 'refuted' | 'undecided';
  readonly checks: readonly ProofCheck[];
}

/**
 * Verifies a proof without the ledger: the root that the proof leads to is computed here and compared with what the
 * contract holds on every chain that is asked (spec 3, "Anchoring"). Nothing the ledger says is believed.
 */
export async function verifyProof(input: ProofInput): Promise<ProofVerdict> {
  const { proof, event, receipt, keys = [] } = input;
  const root = rootOfProof(proof.eventHash, proof.proof);
  const checks = [
    ...(event === undefined ? [] : [checkEvent(event, proof)]),
    ...(receipt === undefined ? [] : [checkReceipt(receipt, proof.eventHash, keys)]),
    checkLeaf(proof),
    checkRoot(proof, root),
    ...(await checkChains(input, root)),
  ];
  const found = (outcome: ProofCheck['outcome']): boolean => checks.some((check) => check.outcome === outcome);
  return { verdict: found('failed') ? 'refuted' : found('unknown') ? 'undecided' : 'proven', checks };
}

function checkLeaf({ eventHash, leaf }: EventProof): ProofCheck {
  const same = leafOf(eventHash) === leaf;
  const text = same ? 'the leaf is the one of the event hash' : `the leaf of the event hash is ${leafOf(eventHash)}`;
  return { check: 'leaf', outcome: same ? 'passed' : 'failed', text };
}

function checkRoot({ proof, root }: EventProof, computed: Hash): ProofCheck {
  const steps = `${proof.length} ${proof.length === 1 ? 'step' : 'steps'}`;
  if (computed === root) return { check: 'root', outcome: 'passed', text: `${steps} lead from the leaf to ${root}` };
  return { check: 'root', outcome: 'failed', text: `${steps} lead to ${computed}, and the proof claims ${root}` };
}

async function checkChains(input: ProofInput, root: Hash): Promise<ProofCheck[]> {
  const { proof, rpcUrls, fetch = globalThis.fetch } = input;
  const contract = input.contract ?? proof.anchors[0]?.contract;
  if (contract === undefined) {
    return [{ check: 'contract', outcome: 'unknown', text: 'the proof names no contract: say which one to ask' }];
  }
  const asked = await Promise.all(
    rpcUrls.map(async (rpcUrl) => {
      const found = await readAnchor({ rpcUrl, contract, batchId: proof.batchId, fetch }).catch(
        (error: Error) => error,
      );
      return { found, check: checkAnchor(found, new URL(rpcUrl).host, proof, root) };
    }),
  );
  const read = asked.flatMap(({ found }) => (found instanceof Error ? [] : [found]));
  return [
    ...(input.contract === undefined ? [namedByTheProof(contract)] : []),
    ...asked.map(({ check }) => check),
    checkAgreement(read, proof, root),
  ];
}

function namedByTheProof(contract: string): ProofCheck {
  const text = `the proof itself names the contract ${contract}: give the address that was published to you`;
  return { check: 'contract', outcome: 'unknown', text };
}

function checkAnchor(found: ReadAnchor | Error, host: string, { batchId }: EventProof, root: Hash): ProofCheck {
  if (found instanceof Error) {
    const outcome = found instanceof NodeSilence ? 'unknown' : 'failed';
    return { check: 'chain', outcome, text: `${host}: ${found.message}` };
  }
  const where = `chain ${found.chainId} (${host})`;
  if (!REGISTRY_CODES.has(found.codeHash)) {
    const text = `${where}: the contract's code is that of no known anchor registry (hash ${found.codeHash})`;
    return { check: 'chain', outcome: 'unknown', text };
  }
  const problem = problemOf(found, batchId, root);
  if (problem !== null) return { check: 'chain', outcome: 'failed', text: `${where}: ${problem}` };
  const text = `${where} holds the root of ${batchId} since ${found.anchoredAt.toISOString()}, block ${found.blockNumber}`;
  if (!isInTime(found, batchId)) {
    return { check: 'chain', outcome: 'warning', text: `${text}: more than a day after the day's end` };
  }
  if (found.revision === 0) return { check: 'chain', outcome: 'passed', text };
  const before = `the owner of the contract invalidated ${found.revision} before: read why on the chain`;
  return { check: 'chain', outcome: 'warning', text: `${text}; ${before}` };
}

/** What is anchored long after its day could have been changed until then. */
function isInTime({ anchoredAt }: ReadAnchor, batchId: string): boolean {
  return anchoredAt <= endOfDay(addDays(batchId, 1));
}

function problemOf(anchor: ReadAnchor, batchId: string, root: Hash): string | null {
  if (anchor.root === null) return `nothing was anchored for ${batchId}`;
  if (anchor.root !== root) return `another root was anchored for ${batchId}: ${anchor.root}`;
  if (anchor.invalidated) return `the batch of ${batchId} was invalidated by the owner of the contract`;
  if (anchor.anchoredAt < endOfDay(batchId)) {
    return `the root was anchored at ${anchor.anchoredAt.toISOString()}, before ${batchId} was over`;
  }
  return null;
}

/** One chain could be rewritten, or its node could lie: two that say the same are what there is to rely on. */
function checkAgreement(read: readonly ReadAnchor[], { anchors, batchId }: EventProof, root: Hash): ProofCheck {
  const check = 'agreement';
  const asked = new Set(read.map(({ chainId }) => chainId));
  if (new Set(read.map((anchor) => anchor.root)).size > 1) {
    const text = `the nodes do not hold the same root (chains ${[...asked].join(' and ')})`;
    return { check, outcome: 'failed', text };
  }
  const inTime = read.filter((anchor) => anchor.root === root && isInTime(anchor, batchId));
  const chains = new Set(inTime.map(({ chainId }) => chainId));
  const missing = [...new Set(anchors.map(({ chainId }) => chainId))].filter((chainId) => !asked.has(chainId));
  const list = [...chains].join(' and ');
  if (chains.size > 1) {
    const rest = missing.length === 0 ? '' : `; not asked: ${missing.join(', ')}`;
    return { check, outcome: 'passed', text: `chains ${list} agree${rest}` };
  }
  const only = chains.size === 0 ? 'no chain' : `chain ${list} alone`;
  const ask = missing.length === 0 ? 'ask one of another chain as well' : `ask also chain ${missing.join(', ')}`;
  const text = `${only} holds the root since the day after: two are needed, ${ask}`;
  return { check, outcome: 'unknown', text };
}
