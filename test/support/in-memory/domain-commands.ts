import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import { observeDomain } from '../../../activities/custom-domains/observe-domain.ts';
import { prepareDomain } from '../../../activities/custom-domains/prepare-domain.ts';
import { beginRemoval, removeDomain, requireHolding } from '../../../activities/custom-domains/remove-domain.ts';
import type { DomainCommands, OfHolder } from '../../../domain/custom-domains/messages.ts';
import { createMutex } from '../../../domain/mutex.ts';

/** What the workflow of a name does, by its own activities, one look at a time and none by itself. */
export function createInMemoryDomainCommands(deps: CustomDomainsDeps): DomainCommands {
  const exclusively = createMutex();
  const look = async (of: OfHolder, isAsked: boolean): Promise<void> =>
    void (await observeDomain(deps, { ...(await requireHolding(deps, of)), isAsked }, new Date()));
  return {
    add: (request) =>
      exclusively(request.domain, async () => {
        const { holderId, isNew } = await claimDomain(deps, request, new Date());
        const of = { domain: request.domain, holderId };
        try {
          await prepareDomain(deps, of, { ...request, at: new Date() });
        } catch (error) {
          if (isNew) await removeDomain(deps, of, new Date());
          throw error;
        }
        await observeDomain(deps, { ...of, isAsked: !isNew }, new Date());
      }),
    verify: (of) => exclusively(of.domain, () => look(of, true)),
    look: (of) => exclusively(of.domain, () => look(of, false)),
    remove: (of) =>
      exclusively(of.domain, async () => {
        await removeDomain(deps, await beginRemoval(deps, of, new Date()), new Date());
        return 'removed' as const;
      }),
  };
}
