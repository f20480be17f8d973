import type { HeldDomain } from '../../domain/custom-domains/custom-domain.ts';
import type { DomainZone, DomainZones } from '../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { CustomDomainsDeps } from './deps.ts';

/**
 * Removes the zone that an add had made once no name uses it any more: while nobody delegates the domain to it, it only takes
 * room in the account of the DNS provider. That it is gone is noted first, so that one which is there later, as the operator
 * makes it, counts as nobody's. Idempotent. @returns the record with that note
 */
export async function removeUnusedZone(
  { domains, zones }: Pick<CustomDomainsDeps, 'domains' | 'zones'>,
  record: HeldDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<HeldDomain> {
  const { domain, apex, holder } = record;
  if (zones === null || holder.mode !== 'cloudflare' || (await domains.usesZone(apex, domain))) return record;
  const { zoneMade } = await domains.orgsOfApex(apex, at);
  if (zoneMade === null || zoneMade.isGone) return record;
  const zone = await zones.findZone(apex, signal);
  if (zone === null || zone.status !== 'pending') return record;
  const made = { org: zoneMade.org, at, wasElsewhere: false, isGone: true };
  const noted: HeldDomain = { ...record, zoneMade: made, revision: record.revision + 1 };
  await domains.replace(noted);
  if (await removed(zones, zone, signal)) return noted;
  const kept: HeldDomain = { ...noted, zoneMade: record.zoneMade, revision: noted.revision + 1 };
  await domains.replace(kept);
  return kept;
}

/** A provider that refuses keeps no name from being given back. */
async function removed(zones: DomainZones, zone: DomainZone, signal?: AbortSignal): Promise<boolean> {
  try {
    return await zones.removeZone(zone, signal);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'DNS_PROVIDER_REFUSED') return false;
    throw error;
  }
}
