import { yieldsToProof } from '../../domain/custom-domains/claim.ts';
import { isHeld } from '../../domain/custom-domains/custom-domain.ts';
import { domainTaken } from '../../domain/custom-domains/domain-taken.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createMinuteCounts } from '../http/minute-counts.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** Each is a request to the workflow of a name, whosever it is, which takes so many in all. */
const ADDS_OF_ORG_PER_MINUTE = 60;

/**
 * Keeps adds that come to nothing from the workflow of another's name: those beyond the share of an org, and those for a name
 * that its holder has proven and is served at, which it keeps whatever the request says.
 */
export function createAddLimits({ domains, services, now }: Pick<CustomDomainsDeps, 'domains' | 'services' | 'now'>) {
  const adds = createMinuteCounts(now);
  return {
    /** @throws RATE_LIMITED, which counts the addresses of an org together */
    requireShare(org: string): void {
      if (adds.add(org) <= ADDS_OF_ORG_PER_MINUTE) return;
      const message = `${org} has added ${ADDS_OF_ORG_PER_MINUTE} names within a minute: go on in a minute`;
      throw new FairleadError('RATE_LIMITED', message, { retryable: true });
    },
    /** @throws DOMAIN_TAKEN */
    async requireChance(request: AddDomain): Promise<void> {
      const record = await domains.find(request.domain);
      if (!isHeld(record) || record.holder.serviceId === request.serviceId) return;
      const { holder } = record;
      if (yieldsToProof(holder) || holder.removingSince !== null) return;
      // Whose service was deleted gives way.
      if ((await services.find(holder.serviceId)) !== null) throw domainTaken(request);
    },
  };
}
