import { type ClaimFacts, needsProof } from '../../domain/custom-domains/claim.ts';
import { type HeldDomain, isSettled } from '../../domain/custom-domains/custom-domain.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { factsOfClaim } from './facts-of-claim.ts';

interface OfLook {
  readonly record: HeldDomain;
  readonly at: Date;
  /** Seen by a look before which nobody had said that it leads elsewhere. */
  readonly leadsHere?: boolean;
}

/**
 * Judges the claim of a holder again, by the same rules as an add, until the name is known to be theirs. Keeps the proof that
 * is asked for by now: once asked for, it is, and people are shown it.
 */
export async function askProof(deps: CustomDomainsDeps, of: OfLook, signal?: AbortSignal): Promise<HeldDomain> {
  const { record } = of;
  const { domain, apex, holder } = record;
  if (holder.proof !== null || isSettled(holder)) return record;
  const claim = { ...holder, domain, apex };
  if (!needsProof(claim, await factsOf(deps, of, signal))) return record;
  return await changeHolder(deps, record, { proof: ownershipProof(claim) });
}

/** Whether a proof that is owed was shown for the whole domain since: a zone that is delegated here shows no other. */
export async function isProvenWithDomain(deps: CustomDomainsDeps, of: OfLook, signal?: AbortSignal): Promise<boolean> {
  const { domain, apex, holder } = of.record;
  const facts = await factsOf(deps, of, signal);
  return facts.orgsOfApex.proven.includes(holder.claimant) && !needsProof({ ...holder, domain, apex }, facts);
}

async function factsOf(
  deps: CustomDomainsDeps,
  { record, at: now, leadsHere = false }: OfLook,
  signal?: AbortSignal,
): Promise<ClaimFacts> {
  const { domain, apex, holder } = record;
  const facts = await factsOfClaim(deps, { ...holder, domain, apex }, { record, now }, signal);
  return { ...facts, leadsHere };
}
