import { needsProof } from '../../domain/custom-domains/claim.ts';
import type { HeldDomain } from '../../domain/custom-domains/custom-domain.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { factsOfClaim } from './facts-of-claim.ts';

/**
 * Judges the claim of a holder again, by the same rules as an add, until the name is known to be theirs. Keeps the proof that
 * is asked for by now: once asked for, it is, and people are shown it.
 */
export async function askProof(
  deps: CustomDomainsDeps,
  { record, at }: { readonly record: HeldDomain; readonly at: Date },
  signal?: AbortSignal,
): Promise<HeldDomain> {
  const { domain, apex, holder } = record;
  if (holder.proof !== null || holder.ownedSince !== null || holder.provenAt !== null) return record;
  const claim = { ...holder, domain, apex };
  const facts = await factsOfClaim(deps, claim, { record, now: at }, signal);
  if (!needsProof(claim, facts)) return record;
  return await changeHolder(deps, record, { proof: ownershipProof(claim) });
}
