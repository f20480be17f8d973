import type { CheckResult, Outcome } from './check-result.ts';
import type { Verdict, VerdictState } from './condition.ts';

type Told = Exclude<Outcome, 'unknown'>;

const VERDICT_OF: Readonly<Record<Told, Verdict>> = { ok: 'up', slow: 'degraded', failed: 'down' };

/** So many results in a row change a verdict; the first answer of all is enough to be up. */
const RESULTS_NEEDED = 2;

export const NOTHING_KNOWN: VerdictState = { verdict: 'pending', since: 0, run: null };

/**
 * The state table: what one more result makes of a verdict. Down takes two failures, up two answers, and degraded two slow
 * answers in a row; the change dates back to the first of them. Results of both sides of a gap make no row.
 * @param afterGap whether over {@link GAP_INTERVALS} intervals lie between this result and the one before
 */
export function nextVerdict(
  state: VerdictState,
  { at, outcome }: Pick<CheckResult, 'at' | 'outcome'>,
  afterGap: boolean,
): VerdictState {
  if (outcome === 'unknown') return state;
  const { verdict } = state;
  const says = VERDICT_OF[outcome];
  if (says === verdict) return { ...state, run: null };
  if (verdict === 'pending' && outcome !== 'failed') return { verdict: says, since: at, run: null };
  const before = afterGap || state.run === null || !goesOn(verdict, state.run.outcome, outcome) ? null : state.run;
  const run = { outcome, count: (before?.count ?? 0) + 1, firstAt: before?.firstAt ?? at };
  if (run.count < RESULTS_NEEDED) return { ...state, run };
  return { verdict: says, since: run.firstAt, run: null };
}

/** Whoever is down is up again by any answers, be they slow or not. */
function goesOn(verdict: Verdict, earlier: Told, now: Told): boolean {
  if (verdict === 'down') return earlier !== 'failed' && now !== 'failed';
  return earlier === now;
}
