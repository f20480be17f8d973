import { eachItem } from '../each-item.ts';
import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';
import { type TakenOut, wasAddedBy } from '../oauth-clients/added-by.ts';
import { type DomainHolder, isVerified } from './custom-domain.ts';
import type { DomainCommands } from './messages.ts';
import type { CustomDomainStore } from './ports.ts';

export type NamesOfService = ReturnType<typeof createNamesOfService>;

/** The names of services, as deploys and orgs that share them ask for them. @throws UNAVAILABLE (retryable) from every method */
export function createNamesOfService(
  domains: Pick<CustomDomainStore, 'list'>,
  commands: Pick<DomainCommands, 'remove'>,
) {
  type Place = { readonly serviceId: string; readonly environment?: Environment };
  const names = async (
    { serviceId, ...where }: Place,
    counts: (holder: DomainHolder) => boolean,
  ): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { domain, holder } of eachItem((page) =>
      domains.list({ serviceIds: [serviceId], ...where }, page),
    )) {
      if (counts(holder)) found.push(domain);
    }
    return found;
  };
  /** One after the other; what fails keeps no other from being removed. */
  const removeAll = async (serviceId: string, all: readonly string[], requestId: string): Promise<void> => {
    const failures: unknown[] = [];
    for (const domain of all) {
      const of = { domain, serviceId, by: 'builder', requestId };
      await remove(commands, of).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    /** Those that lead to the service, as was seen. */
    verified: (place: Place): Promise<readonly string[]> => names(place, isVerified),
    /** Takes all away from a service that is removed: its own name, to which they lead, may be another's afterwards. */
    async release(serviceId: string): Promise<void> {
      await removeAll(serviceId, await names({ serviceId }, () => true), `service-removal-${serviceId}`);
    },
    /** Takes away what an org added that was taken out of those that share a service; what it added since then stays. */
    async releaseOf(serviceId: string, taken: TakenOut): Promise<void> {
      const isTheirs = ({ claimant: org, addedBy: actor, sharingRevision }: DomainHolder) =>
        wasAddedBy({ org, actor, sharingRevision }, taken);
      const requestId = `org-removal-${serviceId}-${taken.revision}`;
      await removeAll(serviceId, await names({ serviceId }, isTheirs), requestId);
    },
  };
}

async function remove(
  commands: Pick<DomainCommands, 'remove'>,
  of: Parameters<DomainCommands['remove']>[0],
): Promise<void> {
  try {
    if ((await commands.remove(of)) === 'removed') return;
  } catch (error) {
    // Somebody else removed it meanwhile.
    if (error instanceof FairleadError && error.code === 'DOMAIN_NOT_FOUND') return;
    throw error;
  }
  throw new FairleadError('UNAVAILABLE', `${of.domain} is still being removed`, { retryable: true });
}
