import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, endOfDay } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { NodeSilence } from '../../domain/audit-ledger/json-rpc.ts';
import type { ProofCheck } from './proof-check.ts';
import { type ReadAnchor, readAnchor } from './read-anchor.ts';
import { REGISTRY_CODES } from './registry-code.ts';

/** Whom a verifier asks what stands on the chains. */
export interface ChainNodes {
  /** Nodes to ask, by JSON-RPC over HTTP: one of each chain at least, better from different providers. */
  readonly rpcUrls: readonly string[];
  /** Address of the anchor registry as you know it from elsewhere; without it nothing is proven. */
  readonly contract?: string;
  readonly fetch?: typeof fetch;
}

export interface AnchorQuestion {
  readonly batchId: Day;
  /** The root that should stand; null where it is not known, and any will do. */
  readonly root: Hash | null;
  /** What the ledger says of where it stands: the contract to ask when no other is given, and chains to name. */
  readonly anchors: readonly { readonly chainId: number; readonly contract: string }[];
  /** A day whose root may yet come: none is no contradiction. */
  readonly isPending?: boolean;
}

/** Asks each node for the root of a day, and whether two chains agree on it. */
export async function checkChains(question: AnchorQuestion, nodes: ChainNodes): Promise<ProofCheck[]> {
  const { rpcUrls, fetch = globalThis.fetch } = nodes;
  const contract = nodes.contract ?? question.anchors[0]?.contract;
  if (contract === undefined) {
    return [{ check: 'contract', outcome: 'unknown', text: 'no contract is named: say which one to ask' }];
  }
  const asked = await Promise.all(
    rpcUrls.map(async (rpcUrl) => {
      const found = await readAnchor({ rpcUrl, contract, batchId: question.batchId, fetch }).catch(
        (error: Error) => error,
      );
      return { found, check: checkAnchor(found, new URL(rpcUrl).host, question) };
    }),
  );
  const read = asked.flatMap(({ found }) => (found instanceof Error ? [] : [found]));
  return [
    ...(nodes.contract === undefined ? [namedByTheProof(contract)] : []),
    ...asked.map(({ check }) => check),
    checkAgreement(read, question),
  ];
}

function namedByTheProof(contract: string): ProofCheck {
  const text = `the proof itself names the contract ${contract}: give the address that was published to you`;
  return { check: 'contract', outcome: 'unknown', text };
}

function checkAnchor(found: ReadAnchor | Error, host: string, question: AnchorQuestion): ProofCheck {
  if (found instanceof Error) {
    const outcome = found instanceof NodeSilence ? 'unknown' : 'failed';
    return { check: 'chain', outcome, text: `${host}: ${found.message}` };
  }
  const where = `chain ${found.chainId} (${host})`;
  if (!REGISTRY_CODES.has(found.codeHash)) {
    const text = `${where}: the contract's code is that of no known anchor registry (hash ${found.codeHash})`;
    return { check: 'chain', outcome: 'unknown', text };
  }
  const { batchId, isPending = false } = question;
  if (found.root === null && isPending) {
    return { check: 'chain', outcome: 'unknown', text: `${where}: nothing was anchored for ${batchId} yet` };
  }
  const problem = problemOf(found, question);
  if (problem !== null) return { check: 'chain', outcome: 'failed', text: `${where}: ${problem}` };
  const text = `${where} holds the root of ${batchId} since ${found.anchoredAt.toISOString()}, block ${found.blockNumber}`;
  if (!isInTime(found, batchId)) {
    return { check: 'chain', outcome: 'warning', text: `${text}: more than a day after the day's end` };
  }
  if (found.revision === 0) return { check: 'chain', outcome: 'passed', text };
  const before = `the owner of the contract invalidated ${found.revision} before: read why on the chain`;
  return { check: 'chain', outcome: 'warning', text: `${text}; ${before}` };
}

/** When the root of a day has to stand: what is anchored long after its day could have been changed until then. */
export function dueTime(batchId: Day): Date {
  return endOfDay(addDays(batchId, 1));
}

const isInTime = ({ anchoredAt }: ReadAnchor, batchId: Day): boolean => anchoredAt <= dueTime(batchId);

function problemOf(anchor: ReadAnchor, { batchId, root }: AnchorQuestion): string | null {
  if (anchor.root === null) return `nothing was anchored for ${batchId}`;
  if (root !== null && anchor.root !== root) return `another root was anchored for ${batchId}: ${anchor.root}`;
  if (anchor.invalidated) return `the batch of ${batchId} was invalidated by the owner of the contract`;
  if (anchor.anchoredAt < endOfDay(batchId)) {
    return `the root was anchored at ${anchor.anchoredAt.toISOString()}, before ${batchId} was over`;
  }
  return null;
}

/** One chain could be rewritten, or its node could lie: two that say the same are what there is to rely on. */
function checkAgreement(
  read: readonly ReadAnchor[],
  { anchors, batchId, root, isPending = false }: AnchorQuestion,
): ProofCheck {
  const check = 'agreement';
  const asked = new Set(read.map(({ chainId }) => chainId));
  const roots = read.map((anchor) => anchor.root).filter((found) => found !== null || !isPending);
  if (new Set(roots).size > 1) {
    const text = `the nodes do not hold the same root (chains ${[...asked].join(' and ')})`;
    return { check, outcome: 'failed', text };
  }
  const holds = (anchor: ReadAnchor): boolean => anchor.root !== null && (root === null || anchor.root === root);
  const inTime = read.filter((anchor) => holds(anchor) && isInTime(anchor, batchId));
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
