import { formerSince, needsProof } from '../../domain/custom-domains/claim.ts';
import { type DomainHolder, isSettled } from '../../domain/custom-domains/custom-domain.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { eachItem } from '../../domain/each-item.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { factsOfClaim } from './facts-of-claim.ts';
import { zoneView } from './write-record.ts';

/**
 * Before a newcomer asks for a name of a domain: where that was delegated to the platform for somebody who was alone until now, it
 * is known to be theirs, although no look has seen so yet. Whatever the newcomer says then asks them for no proof, which they
 * could not publish any more. One name is enough: by it, the others are theirs as well. Idempotent.
 * @throws UNAVAILABLE, CONFLICT (retryable); what the DNS provider refuses
 */
export async function noteDelegation(
  deps: CustomDomainsDeps,
  { apex, claimant: newcomer }: AddDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<void> {
  const { domains, zones } = deps;
  if (zones === null) return;
  const { zoneMade, delegated } = await domains.orgsOfApex(apex, formerSince(at));
  if (zoneMade === null || zoneMade.org === newcomer || zoneMade.isGone || !zoneMade.wasElsewhere) return;
  if (delegated.includes(zoneMade.org)) return;
  const zone = await zones.findZone(apex, signal);
  if (zone?.status !== 'active') return;
  for await (const record of eachItem((page) => domains.list({ apex }, page))) {
    const { domain, holder } = record;
    if (holder.claimant !== zoneMade.org || !waitsForDelegation(holder)) continue;
    const claim = { ...holder, domain, apex };
    if (needsProof(claim, await factsOfClaim(deps, claim, { record, now: at }, signal))) return;
    const seen = zoneView(zone, { before: holder.zone, created: holder.zone?.created ?? false });
    await changeHolder(deps, record, { ownedSince: at, zone: seen });
    return;
  }
}

function waitsForDelegation(holder: DomainHolder): boolean {
  const { mode, org, claimant, state, proof, removingSince } = holder;
  if (mode !== 'cloudflare' || claimant !== org || state === 'failed') return false;
  return proof === null && removingSince === null && !isSettled(holder);
}
