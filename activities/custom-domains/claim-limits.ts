import type { CustomDomain, HeldDomain } from '../../domain/custom-domains/custom-domain.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** So many names of a service in an environment: as many as one certificate may have. */
const MOST_NAMES = 100;
/** So many of these are one org's that shares the service, and all such orgs': the others are left to its owner. */
const MOST_OF_SHARER = 20;
const MOST_OF_SHARERS = 50;
/** So many names of one org: each is a route, a file of a certificate, and an hourly look. */
const MOST_OF_ORG = 1_000;
/** So many names for which an org waits: each is looked at for 30 days, and kept from nobody else but by a proof. */
const MOST_WAITING = 50;
/** So many zones are made for an org within some days: the account at the DNS provider has room for so many in all. */
const MOST_ZONES = 20;
/** So many are made for all orgs in that time: who has many orgs fills the account with no more than these. */
const MOST_ZONES_OF_ALL = 300;
const ZONES_WITHIN_DAYS = 30;
const DAY_MS = 86_400_000;

/** @throws CONFLICT where the service, or the org that it is added for, has as many names as may be */
export async function requireRoom({ domains }: Pick<CustomDomainsDeps, 'domains'>, request: AddDomain, at: Date) {
  const { serviceId, service, environment, org, claimant } = request;
  const { items } = await domains.list({ serviceIds: [serviceId], environment }, { cursor: null, limit: MOST_NAMES });
  if (items.length >= MOST_NAMES) {
    const message = `${service} has ${MOST_NAMES} names in ${environment}, and no more are possible: remove one first`;
    throw new FairleadError('CONFLICT', message, { details: { most: MOST_NAMES } });
  }
  if (claimant !== org) requireSharersRoom(request, items);
  const { held, waiting } = await domains.usageOf(claimant, at);
  if (held >= MOST_OF_ORG) {
    const message = `${claimant} has ${MOST_OF_ORG} names, and no more are possible: remove one first`;
    throw new FairleadError('CONFLICT', message, { details: { most: MOST_OF_ORG } });
  }
  if (waiting < MOST_WAITING) return;
  const message = `${claimant} has ${MOST_WAITING} names whose DNS does not lead here: set their records, or remove some first`;
  throw new FairleadError('CONFLICT', message, { details: { most: MOST_WAITING } });
}

/** @param records all names of the service in that environment */
function requireSharersRoom({ service, org, claimant }: AddDomain, records: readonly CustomDomain[]): void {
  const claimants = records.map(({ holder }) => holder?.claimant ?? org);
  const own = claimants.filter((one) => one === claimant).length;
  const shared = claimants.filter((one) => one !== org).length;
  if (own < MOST_OF_SHARER && shared < MOST_OF_SHARERS) return;
  const message = `${service} has as many names of orgs that share it as may be (${MOST_OF_SHARER} of one, ${MOST_OF_SHARERS} of all): remove one first`;
  throw new FairleadError('CONFLICT', message, {
    details: { most: own < MOST_OF_SHARER ? MOST_OF_SHARERS : MOST_OF_SHARER },
  });
}

/**
 * Looked at once the zone is noted, and counts that note: of many that are noted at once, none goes over what may be.
 * @throws RATE_LIMITED where more zones were made lately for an org, or for all, than may be
 */
export async function requireZoneRoom(
  { domains }: Pick<CustomDomainsDeps, 'domains'>,
  { apex, holder: { claimant, byAdministrator } }: HeldDomain,
  at: Date,
): Promise<void> {
  const { zonesMade, zonesMadeByAll } = await domains.usageOf(claimant, zonesSince(at));
  if (zonesMade > MOST_ZONES) throw tooManyZones(apex, MOST_ZONES, `for ${claimant}`);
  if (byAdministrator || zonesMadeByAll <= MOST_ZONES_OF_ALL) return;
  throw tooManyZones(apex, MOST_ZONES_OF_ALL, 'for all orgs');
}

/** Zones that were made before count no more. */
export const zonesSince = (at: Date): Date => new Date(at.getTime() - ZONES_WITHIN_DAYS * DAY_MS);

function tooManyZones(apex: string, most: number, whose: string): FairleadError {
  const message = `No zone is made for ${apex}: ${most} were made ${whose} within ${ZONES_WITHIN_DAYS} days. Use the direct mode, or ask the operator to make the zone.`;
  return new FairleadError('RATE_LIMITED', message, { details: { most } });
}
