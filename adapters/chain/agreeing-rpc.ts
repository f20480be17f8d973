import { RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import { type Rpc, unreachable } from './rpc.ts';

/** The first answer: for what may differ from node to node, such as a price, or is a matter of one that takes it. */
export function first<T>([answer]: readonly T[]): T {
  return answer as T;
}

/** What the node that is furthest behind knows too. */
export function lowest(answers: readonly number[]): number {
  return Math.min(...answers);
}

/** The lowest; null when a node has none. */
export function lowestOrNull(answers: readonly (number | null)[]): number | null {
  const known = answers.filter((answer) => answer !== null);
  return known.length === answers.length ? lowest(known) : null;
}

/** What any of them has; null when none does. */
export function any<T>(answers: readonly (T | null)[]): T | null {
  return answers.find((answer) => answer !== null) ?? null;
}

/** What all of them have; null as long as one has not got it yet. */
export function all<T>(answers: readonly (T | null)[]): T | null {
  return answers.includes(null) ? null : same(answers);
}

/** @throws Disagreement when answers differ */
function same<T>(answers: readonly T[]): T {
  const [answer] = answers;
  if (new Set(answers.map((one) => JSON.stringify(one))).size > 1) throw new Disagreement();
  return answer as T;
}

class Disagreement extends Error {}

/**
 * Several nodes of one chain as one: each is asked, and what decides must be the same from all that answer, which must be
 * more than half of them. Of two nodes, both have to answer.
 */
export function createAgreeingRpc(chainId: number, nodes: readonly Rpc[]): Rpc {
  return {
    chainId,
    async call(method, params, schema, combine = same) {
      const outcomes = await Promise.allSettled(nodes.map((node) => node.call(method, params, schema)));
      const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      const refusals = errors.filter((error) => error instanceof RpcRefusal);
      if (answers.length === 0 && refusals.length === 0) throw errors[0];
      if (combine === first && answers.length > 0) return combine(answers);
      if ((answers.length + refusals.length) * 2 <= nodes.length) {
        throw unreachable(chainId, `${method}: ${errors.length} of ${nodes.length} nodes do not answer`);
      }
      const [refusal] = refusals;
      if (answers.length === 0 && refusal !== undefined) throw refusal;
      try {
        if (refusal !== undefined) throw new Disagreement();
        return combine(answers);
      } catch (error) {
        if (!(error instanceof Disagreement)) throw error;
        throw unreachable(chainId, `${method}: the nodes do not agree`);
      }
    },
  };
}
