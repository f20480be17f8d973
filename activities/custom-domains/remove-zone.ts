import type { CustomDomain, ZoneMade } from '../../domain/custom-domains/custom-domain.ts';
import type { DomainZone, DomainZones } from '../../domain/custom-domains/ports.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** A zone stays so long after it was made: who adds and removes names has none made again and again. */
const STAYS_MS = 86_400_000;

type Deps = Pick<CustomDomainsDeps, 'domains' | 'zones'>;

/**
 * Removes the zone that an add of a name had made where no name uses it any more: while nobody delegates the domain to it, it only
 * takes room in the account of the DNS provider. That it is gone is noted first, so that one which is there later, as the
 * operator makes it, counts as nobody's. Idempotent: what was begun is gone on with, or taken back where a name uses it by then.
 * @throws UNAVAILABLE, CONFLICT (retryable)
 */
export async function removeUnusedZone(
  { domains, zones }: Deps,
  { apex, zoneMade }: CustomDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<void> {
  if (zones === null || zoneMade === null || at.getTime() - zoneMade.at.getTime() < STAYS_MS) return;
  const isInUse = await domains.usesZone(apex);
  if (isInUse && !(await isBegun(domains, apex))) return;
  const zone = await zones.findZone(apex, signal);
  // It is in use by its domain, or nobody says whether it is.
  if (zone !== null && zone.status !== 'pending') return;
  if (!isInUse) await note(domains, apex, { isGone: true, isRemoving: true });
  // A name that came meanwhile, or since a removal that broke off, has it.
  const isUsed = isInUse || (await domains.usesZone(apex));
  const isGone = !isUsed && (zone === null || (await removed(zones, zone, signal)));
  await note(domains, apex, { isGone, isRemoving: false });
}

async function isBegun(domains: Deps['domains'], apex: string): Promise<boolean> {
  for await (const { zoneMade } of eachItem((page) => domains.listZonesMade(page, apex))) {
    if (zoneMade?.isRemoving) return true;
  }
  return false;
}

/** Of all names whose adds had that zone made. */
async function note(
  domains: Deps['domains'],
  apex: string,
  now: Pick<ZoneMade, 'isGone' | 'isRemoving'>,
): Promise<void> {
  for await (const record of eachItem((page) => domains.listZonesMade(page, apex))) {
    const { zoneMade } = record;
    if (zoneMade === null || (zoneMade.isGone === now.isGone && zoneMade.isRemoving === now.isRemoving)) continue;
    await domains.replace({ ...record, zoneMade: { ...zoneMade, ...now }, revision: record.revision + 1 });
  }
}

/** What people wrote into it keeps it, and so does a provider that refuses. */
async function removed(zones: DomainZones, zone: DomainZone, signal?: AbortSignal): Promise<boolean> {
  try {
    return await zones.removeZone(zone, signal);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'DNS_PROVIDER_REFUSED') return false;
    throw error;
  }
}
