/** `unknown`: it could not be found out, and so nothing is proven. `warning`: it holds, with less behind it than there could be. */
export interface ProofCheck {
  readonly check:
    | 'event'
    | 'receipt'
    | 'checkpoint'
    | 'leaf'
    | 'list'
    | 'root'
    | 'contract'
    | 'chain'
    | 'agreement'
    | 'history';
  readonly outcome: 'passed' | 'failed' | 'unknown' | 'warning';
  readonly text: string;
}

/** `refuted`: something contradicts it. `undecided`: nothing does, and something is missing that proves it. */
export type Verdict = 'proven' | 'refuted' | 'undecided';

export function verdictOf(checks: readonly ProofCheck[]): Verdict {
  const found = (outcome: ProofCheck['outcome']): boolean => checks.some((check) => check.outcome === outcome);
  return found('failed') ? 'refuted' : found('unknown') ? 'undecided' : 'proven';
}
