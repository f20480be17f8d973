import { yieldsToProof } from '../../domain/custom-domains/claim.ts';
import { isHeld } from '../../domain/custom-domains/custom-domain.ts';
import { domainTaken } from '../../domain/custom-domains/domain-taken.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { createOrgLimit } from '../http/org-limit.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** Each is a request to the workflow of a name, whosever it is, which takes so many in all. */
const ADDS_OF_ORG_PER_MINUTE = 60;

/**
 * Keeps adds that come to nothing from the workflow of another's name: those beyond the share of an org, and those for a name
 * that its holder has proven and is served at, which it keeps whatever the request says.
 */
export function createAddLimits({ domains, services }: Pick<CustomDomainsDeps, 'domains' | 'services'>) {
  return {
    /** @throws RATE_LIMITED, which counts the addresses of an org together */
    requireShare: createOrgLimit(ADDS_OF_ORG_PER_MINUTE, 'adds of domains of one org'),
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
