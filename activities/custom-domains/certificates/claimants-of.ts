import type { ServiceStore } from '../../../domain/catalog/ports.ts';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { MOST_NAMES } from '../../../domain/custom-domains/certificates/certificate.ts';
import type { CustomDomainStore } from '../../../domain/custom-domains/ports.ts';

/** Slugs of the orgs that names of a service were added for, in their order; that of its owner for one that is gone. */
export type ClaimantsOf = (owner: CertificateOwner, hosts: readonly string[]) => Promise<readonly string[]>;

export function createClaimantsOf(deps: {
  readonly services: Pick<ServiceStore, 'find'>;
  readonly domains: Pick<CustomDomainStore, 'list'>;
}): ClaimantsOf {
  return async ({ service, environment }, hosts) => {
    const found = await deps.services.find(service);
    // Of a service that is gone, what stands for it alone.
    if (found === null) return hosts.map(() => `service ${service}`);
    const filter = { serviceIds: [found.id], environment };
    const { items } = await deps.domains.list(filter, { cursor: null, limit: MOST_NAMES });
    const claimants = new Map(items.map(({ domain, holder }) => [domain, holder?.claimant ?? found.org]));
    return hosts.map((host) => claimants.get(host) ?? found.org);
  };
}
