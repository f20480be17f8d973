import { claimDomain } from '../../activities/custom-domains/claim-domain.ts';
import type { CustomDomainsDeps } from '../../activities/custom-domains/deps.ts';
import { observeDomain } from '../../activities/custom-domains/observe-domain.ts';
import { prepareDomain } from '../../activities/custom-domains/prepare-domain.ts';
import { reconcileDomains } from '../../activities/custom-domains/reconcile-domains.ts';
import { beginRemoval, removeDomain } from '../../activities/custom-domains/remove-domain.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { ownershipProof } from '../../domain/custom-domains/ownership-proof.ts';
import type { CustomDomainsWorld } from './custom-domains-parts.ts';

export const MANAGED = { mode: 'cloudflare' } as const;
/** Minutes. */
export const DAY = 24 * 60;
export const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));

/** What people and workflows do with names, at a minute. */
export function nameActions(world: CustomDomainsWorld, deps: CustomDomainsDeps = world.deps) {
  const held = async (domain: string) => (await deps.domains.find(domain))?.holder ?? null;
  async function remove({ domain, serviceId }: AddDomain, minute: number): Promise<void> {
    const of = await beginRemoval(deps, { domain, serviceId, by: 'usr_ada', requestId: 'req_1' }, at(minute));
    await removeDomain(deps, of, at(minute));
  }
  return {
    held,
    remove,
    async add(request: AddDomain, minute: number): Promise<void> {
      const { holderId, isNew } = await claimDomain(deps, request, at(minute));
      const of = { domain: request.domain, holderId };
      try {
        await prepareDomain(deps, of, { overwrite: request.overwrite, at: at(minute) });
      } catch (error) {
        if (isNew) await removeDomain(deps, of, at(minute));
        throw error;
      }
    },
    async look(domain: string, minute: number, isAsked = false): Promise<string> {
      const holderId = (await held(domain))?.id ?? '';
      const seen = await observeDomain(deps, { domain, holderId, isAsked }, at(minute));
      return seen.kind === 'seen' ? seen.state : seen.kind;
    },
    async reconcile(minute: number): Promise<void> {
      let cursor: string | null = null;
      do ({ cursor } = await reconcileDomains(deps, cursor, at(minute)));
      while (cursor !== null);
    },
    routes: async () => (await deps.hosts.list()).map(({ host, service }) => `${host} ${service}`).sort(),
    records: (domain: string) => world.provider.recordsOf(domain).map(({ content }) => content),
    show: (request: AddDomain) => world.dns.setText(ownershipProof(request).name, ownershipProof(request).value),
    hide: (request: AddDomain) => world.dns.setText(ownershipProof(request).name),
  };
}

export type NameActions = ReturnType<typeof nameActions>;
