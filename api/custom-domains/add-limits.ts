import { yieldsToProof } from '../../domain/custom-domains/claim.ts';
import { isHeld } from '../../domain/custom-domains/custom-domain.ts';
import { domainTaken } from '../../domain/custom-domains/domain-taken.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { createOrgLimit } from '../http/org-limit.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** Each is a request to the workflow of a name, whosever it is, which takes so many in all. */
const ADDS_OF_ORG_PER_MINUTE = 60;
/** Of a name that another service has, by one org: its holder waits for each of them. */
const ADDS_OF_ANOTHERS_PER_MINUTE = 6;

/**
 * Keeps adds that come to nothing from the workflow of another's name: those beyond the share of an org, and those for a name
 * that its holder has proven and is served at, which it keeps whatever the request says.
 */
export function createAddLimits({ domains, services }: Pick<CustomDomainsDeps, 'domains' | 'services'>) {
  const requireTry = createOrgLimit(ADDS_OF_ANOTHERS_PER_MINUTE, 'adds of a name that another service has');
  return {
    /** @throws RATE_LIMITED, which counts the addresses of an org together */
    requireShare: createOrgLimit(ADDS_OF_ORG_PER_MINUTE, 'adds of domains of one org'),
    /** @throws DOMAIN_TAKEN, RATE_LIMITED */
    async requireChance(request: AddDomain): Promise<void> {
      const record = await domains.find(request.domain);
      if (!isHeld(record) || record.holder.serviceId === request.serviceId) return;
      const { holder } = record;
      const isKept = !yieldsToProof(holder) && holder.removingSince === null;
      // Whose service was deleted gives way.
      if (isKept && (await services.find(holder.serviceId)) !== null) throw domainTaken(request);
      requireTry(`${request.claimant} ${request.domain}`);
    },
  };
}
