/** `unknown`: it could not be found out, and so nothing is proven. `warning`: it holds, with less behind it than there could be. */
export interface ProofCheck {
  readonly check: 'event' | 'receipt' | 'leaf' | 'root' | 'contract' | 'chain' | 'agreement';
  readonly outcome: 'passed' | 'failed' | 'unknown' | 'warning';
  readonly text: string;
}
