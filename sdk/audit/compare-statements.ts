import { GENESIS_HASH, type Hash } from '../../domain/audit-ledger/event.ts';
import { type ProofCheck, type Verdict, verdictOf } from './proof-check.ts';
import { checkSignature, type SignedStatement } from './signed-statement.ts';

/**
 * `proven`: both tell the same hash of one place of a chain. `refuted`: they contradict each other, so the ledger signed two
 * histories, or somebody else has its key. `undecided`: neither; or one of them is not signed.
 */
export interface ComparisonVerdict {
  readonly verdict: Verdict;
  readonly checks: readonly ProofCheck[];
}

/**
 * What lies between the time of an event and the moment it is in its chain, and between the clocks of events and of
 * checkpoints: far more than that.
 */
const MARGIN_MS = 10 * 60_000;

/** Compares two statements of a ledger. Whoever holds them needs nothing but its key. */
export function compareStatements(
  first: SignedStatement,
  second: SignedStatement,
  keys: readonly string[],
): ComparisonVerdict {
  const signatures = [checkSignature(first, keys), checkSignature(second, keys)];
  const areSigned = signatures.every(({ outcome }) => outcome === 'passed');
  const checks = [...signatures, ...(areSigned ? [compareHistories(first, second)] : [])];
  return { verdict: verdictOf(checks), checks };
}

function compareHistories(first: SignedStatement, second: SignedStatement): ProofCheck {
  const check = 'history';
  if (first.namespace !== second.namespace) {
    return { check, outcome: 'unknown', text: 'they are of different chains' };
  }
  const text = placeContradiction(first, second) ?? orderContradiction(first, second);
  if (text !== null) return { check, outcome: 'failed', text };
  const common = [...first.hashes].find(([index]) => index >= 0 && second.hashes.has(index));
  if (common === undefined) {
    return {
      check,
      outcome: 'unknown',
      text: 'they do not contradict each other, and tell of no place that both know',
    };
  }
  return { check, outcome: 'passed', text: `both tell the same hash of #${common[0]}` };
}

/** One place of the chain with two hashes. */
function placeContradiction(first: SignedStatement, second: SignedStatement): string | null {
  const told: [number, Hash][] = [[-1, GENESIS_HASH], ...first.hashes, ...second.hashes];
  const known = new Map<number, Hash>();
  for (const [index, hash] of told) {
    const before = known.get(index) ?? hash;
    if (before !== hash) return `there are two hashes of #${index}: ${before} and ${hash}`;
    known.set(index, hash);
  }
  return null;
}

/** Chains only grow, and times do not go back in them. */
function orderContradiction(first: SignedStatement, second: SignedStatement): string | null {
  const [shorter, longer] = first.size <= second.size ? [first, second] : [second, first];
  if (shorter.size === longer.size) return null;
  const kinds = `${shorter.kind} ${longer.kind}`;
  if (kinds === 'receipt receipt' && shorter.time > longer.time) {
    return `#${longer.size - 1} is dated before #${shorter.size - 1}`;
  }
  if (kinds === 'checkpoint checkpoint' && shorter.time > longer.time) {
    return `the chain had ${longer.size} events, and later ${shorter.size}`;
  }
  if (kinds === 'checkpoint receipt' && shorter.time.getTime() > longer.time.getTime() + MARGIN_MS) {
    const event = `#${longer.size - 1} is dated ${longer.time.toISOString()}`;
    return `${event}, and more than ten minutes later the chain had ${shorter.size} events`;
  }
  return null;
}
