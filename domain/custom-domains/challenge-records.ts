import { parse } from 'tldts';
import { FairleadError } from '../errors.ts';
import type { ChallengeRecords } from './certificates/ports.ts';
import { bareName } from './mode.ts';
import type { DomainZones } from './ports.ts';

/**
 * TXT records of DNS-01 challenges in the zones that the platform manages, beside whatever stands there.
 * @returns records of which both methods @throws DNS_PROVIDER_REFUSED for a name in no zone of the account; else as
 *   {@link DomainZones}
 */
export function createChallengeRecords(
  zones: Pick<DomainZones, 'findZone' | 'putText' | 'removeText'>,
): ChallengeRecords {
  const zoneOf = async (name: string) => {
    const apex = parse(name, { allowPrivateDomains: true }).domain;
    const zone = apex === null ? null : await zones.findZone(apex);
    if (zone !== null) return zone;
    throw new FairleadError('DNS_PROVIDER_REFUSED', `No zone of the platform's account has ${name}`, { system: 'dns' });
  };
  return {
    put: async (name, value) => await zones.putText(await zoneOf(bareName(name)), bareName(name), value),
    remove: async (name, value) => await zones.removeText(await zoneOf(bareName(name)), bareName(name), value),
  };
}
