import { type ClaimFacts, type ClaimRequest, formerSince } from '../../domain/custom-domains/claim.ts';
import type { CustomDomain } from '../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** What a claim is judged by at a time, as records and the DNS provider have it. Whether it is proven is not looked up. */
export async function factsOfClaim(
  deps: CustomDomainsDeps,
  claim: ClaimRequest,
  { record, now }: { readonly record: CustomDomain | null; readonly now: Date },
  signal?: AbortSignal,
): Promise<ClaimFacts> {
  const { platformOrg, platformDomain } = deps.settings;
  const holder = record?.holder ?? null;
  const isOwn = holder === null || holder.serviceId === claim.serviceId;
  const isWritten = claim.mode === 'cloudflare' && deps.zones !== null;
  return {
    ...{ record, isProven: false, platformOrg, platformDomain, now },
    holderExists: isOwn || (await deps.services.findConfirmed(holder.serviceId)) !== null,
    orgsOfApex: await deps.domains.orgsOfApex(claim.apex, formerSince(now)),
    hasProvenApex: await hasProvenApex(deps, claim),
    hasZone: isWritten && (await deps.zones.findZone(claim.apex, signal)) !== null,
  };
}

/** A proof that an org published for a service of another one gives it nothing else. */
async function hasProvenApex({ domains }: CustomDomainsDeps, { apex, claimant }: ClaimRequest): Promise<boolean> {
  const holder = (await domains.find(apex))?.holder ?? null;
  return holder !== null && holder.provenAt !== null && holder.claimant === claimant && holder.org === claimant;
}
