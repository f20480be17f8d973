import { changedHolder, type HeldDomain, isSettled, lapsed } from '../../domain/custom-domains/custom-domain.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import { untoldWith } from '../../domain/custom-domains/untold.ts';
import type { CustomDomainsDeps } from './deps.ts';

const EVER = new Date(0);
const SHOWN = 'another org has shown that names of the domain are its own';

/**
 * Takes from a name that is not served what was known of whose it is, where another org has shown since that names of the domain
 * are its own: the domain may have been sold. A name that strayed is nobody's by what was known before. Who it is of then shows
 * so anew. Idempotent: afterwards there is nothing to take.
 * @returns the record as it is then; what leads to its service has to be undone where `attachedAt` says that it was led there
 */
export async function supersede(deps: CustomDomainsDeps, record: HeldDomain, at: Date): Promise<HeldDomain> {
  const { domain, apex, holder } = record;
  const since = shownAt(record);
  if (since === null) return record;
  const orgs = await deps.domains.orgsShownSince(apex, since);
  if (orgs.every((org) => org === holder.claimant)) return record;
  const proof = ownershipProof({ ...holder, domain, apex });
  const untold = untoldWith(holder.untold, { event: 'repended', reason: SHOWN, at });
  const asked = changedHolder(record, { state: 'pending-proof', reason: SHOWN, proof, untold });
  const left = lapsed(asked, at);
  // A record may be written although it was never led there.
  const next = { ...left, holder: { ...left.holder, attachedAt: holder.attachedAt ?? at } };
  await deps.domains.replace(next);
  return next;
}

/** When whose the name is was shown last, of one that is not served; null where there is nothing to take. */
function shownAt({ holder }: HeldDomain): Date | null {
  if (holder.state === 'active') return null;
  const { mode, zone, strayedAt } = holder;
  // While it was seen in the zone, what others had shown by then was beside it: they had names of the domain as well.
  if (!isSettled(holder)) return mode === 'cloudflare' && zone !== null ? strayedAt : strayedAt && EVER;
  return holder.ownedSince === null || holder.strayedAt !== null ? holder.provenAt : null;
}
