import { type HeldDomain, isHeld } from '../../domain/custom-domains/custom-domain.ts';
import { type DomainName, readDomainName } from '../../domain/custom-domains/domain-name.ts';
import { FairleadError } from '../../domain/errors.ts';
import { mayUse } from '../catalog/access.ts';
import type { Caller } from '../http/caller.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** The name that a person wrote. @throws VALIDATION_FAILED with what to do about it */
export function requireName({ platformNames }: Pick<CustomDomainsDeps, 'platformNames'>, written: string): DomainName {
  const read = readDomainName(written, platformNames);
  if ('name' in read) return read.name;
  const message = `domain: ${read.refused}`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'domain', message: read.refused }] });
}

/** A name of a service that the caller may use. @throws DOMAIN_NOT_FOUND also for one that is another's */
export async function requireDomain(
  { domains, services, platformNames }: Pick<CustomDomainsDeps, 'domains' | 'services' | 'platformNames'>,
  caller: Caller,
  written: string,
): Promise<HeldDomain> {
  const read = readDomainName(written, platformNames);
  const record = 'name' in read ? await domains.find(read.name.domain) : null;
  const service = isHeld(record) ? await services.find(record.holder.serviceId) : null;
  if (isHeld(record) && service !== null && mayUse(caller, service)) return record;
  throw new FairleadError('DOMAIN_NOT_FOUND', `No such domain: ${written.slice(0, 253)}`);
}
