import { type ClaimFacts, type ClaimRequest, formerSince, needsProof } from '../../domain/custom-domains/claim.ts';
import { type CustomDomain, isHeld, isSettled } from '../../domain/custom-domains/custom-domain.ts';
import type { DomainZone } from '../../domain/custom-domains/ports.ts';
import type { CustomDomainsDeps } from './deps.ts';

interface OfRecord {
  readonly record: CustomDomain | null;
  readonly now: Date;
}

/**
 * What a claim is judged by at a time, as records and the DNS provider have it. What the DNS shows is not looked up: whether it
 * is proven, and whether the name leads here.
 */
export async function factsOfClaim(
  deps: CustomDomainsDeps,
  claim: ClaimRequest,
  { record, now }: OfRecord,
  signal?: AbortSignal,
): Promise<ClaimFacts> {
  const { platformOrg, platformDomain, hosts } = deps.settings;
  const holder = record?.holder ?? null;
  const isOwn = holder === null || holder.serviceId === claim.serviceId;
  const zone = isWritten(deps, claim) ? ((await deps.zones?.findZone(claim.apex, signal)) ?? null) : null;
  const facts: ClaimFacts = {
    ...{ record, isProven: false, leadsHere: false, holderOwesProof: false, now },
    ...{ platformOrg, platformNames: [platformDomain, ...hosts] },
    holderExists: isOwn || (await deps.services.findConfirmed(holder.serviceId)) !== null,
    orgsOfApex: await deps.domains.orgsOfApex(claim.apex, formerSince(now)),
    ownsApex: await ownsApex(deps, claim),
    hasZone: zone !== null,
    isBackInZone: zone !== null && (await isBackInZone(deps, claim, { record, zone })),
  };
  // Asked where it decides: nobody loses a name to a claim that owes a proof.
  if (isOwn || needsProof(claim, facts)) return facts;
  return { ...facts, holderOwesProof: await owesProof(deps, { record, now }, signal) };
}

/** Whether the platform writes the record of a name. */
export const isWritten = ({ zones }: Pick<CustomDomainsDeps, 'zones'>, { mode }: Pick<ClaimRequest, 'mode'>): boolean =>
  mode === 'cloudflare' && zones !== null;

/** A name that led here before its service shared it with another org gives that org nothing. */
async function ownsApex({ domains }: CustomDomainsDeps, { apex, claimant }: ClaimRequest): Promise<boolean> {
  const holder = (await domains.find(apex))?.holder ?? null;
  if (holder === null || holder.ownedSince === null || holder.strayedAt !== null) return false;
  // Nobody looks at it any more: it may lead elsewhere by now.
  if (holder.state === 'failed') return false;
  return holder.claimant === claimant && holder.org === claimant;
}

/** Who shares a service proves each name, and shows anew that it is theirs. */
async function isBackInZone(
  { domains }: CustomDomainsDeps,
  { apex, serviceId, org, claimant }: ClaimRequest,
  { record, zone }: { readonly record: CustomDomain | null; readonly zone: DomainZone },
): Promise<boolean> {
  if (!isHeld(record) || record.holder.serviceId !== serviceId || record.holder.claimant !== claimant) return false;
  const { mode, ownedSince, strayedAt } = record.holder;
  if (mode !== 'cloudflare' || ownedSince === null || strayedAt === null || claimant !== org) return false;
  if (record.holder.zone?.id !== zone.id) return false;
  const { left, holding, zoneMade } = await domains.orgsOfApex(apex, strayedAt);
  // It may have been delegated to it again for whom it was made, who waits for a name still.
  const maker = zoneMade !== null && holding.includes(zoneMade.org) ? [zoneMade.org] : [];
  const shown = await domains.orgsShownSince(apex, strayedAt);
  return [...shown, ...left, ...maker].every((one) => one === claimant);
}

/** As it is judged at each look: what was not asked for at the claim may be by now. */
async function owesProof(deps: CustomDomainsDeps, { record, now }: OfRecord, signal?: AbortSignal): Promise<boolean> {
  if (!isHeld(record) || isSettled(record.holder)) return false;
  const { domain, apex, holder } = record;
  if (holder.proof !== null) return true;
  const claim = { ...holder, domain, apex };
  return needsProof(claim, await factsOfClaim(deps, claim, { record, now }, signal));
}
