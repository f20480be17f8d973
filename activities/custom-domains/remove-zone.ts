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
 * operator makes it, counts as nobody's. Idempotent: what was begun is gone on with.
 * @throws UNAVAILABLE, CONFLICT (retryable)
 */
export async function removeUnusedZone(
  { domains, zones }: Deps,
  { apex, zoneMade }: CustomDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<void> {
  if (zones === null || zoneMade === null || at.getTime() - zoneMade.at.getTime() < STAYS_MS) return;
  if (await domains.usesZone(apex)) return;
  const zone = await zones.findZone(apex, signal);
  // It is in use by its domain, or nobody says so.
  if (zone !== null && zone.status !== 'pending') return;
  await note(domains, apex, { isGone: true, isRemoving: true });
  // A name that came meanwhile makes it anew, or has it back.
  const isUsed = await domains.usesZone(apex);
  const isGone = !isUsed && (zone === null || (await removed(zones, zone, signal)));
  await note(domains, apex, { isGone, isRemoving: false });
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
