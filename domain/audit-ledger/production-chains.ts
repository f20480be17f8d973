import { FairleadError } from '../errors.ts';

/** Chains without which an installation that others reach does not anchor: one could be rewritten, or its nodes lie. */
const LEAST_CHAINS = 2;

/**
 * Refuses fewer than two chains in production, which an installation is when its ledger has an https address.
 * @throws VALIDATION_FAILED
 */
export function assertEnoughChains(auditUrl: string, chains: readonly unknown[]): void {
  if (!auditUrl.startsWith('https:') || chains.length >= LEAST_CHAINS) return;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `AUDIT_CHAINS names ${chains.length === 0 ? 'no chain' : 'one chain'}: name two or more, as one alone proves too little`,
  );
}
