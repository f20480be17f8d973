import type { Member, SharedWith } from '../../domain/authorized-orgs/messages.ts';
import type { RepositoryAccess } from '../../domain/authorized-orgs/ports.ts';
import { repositoryRole, sharedRepository } from '../../domain/authorized-orgs/shared-repository.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SharingDeps } from './deps.ts';
import { eachOf } from './each-of.ts';
import { servicesOf } from './services-of.ts';

type Deps = Pick<SharingDeps, 'services' | 'repositories' | 'gitHost'>;

/** @throws UNAVAILABLE */
export async function setRepositoryRole(deps: Deps, { serviceId, org }: SharedWith): Promise<void> {
  if (deps.repositories === null) return;
  const service = await deps.services.findConfirmed(serviceId);
  if (service !== null) await agree(deps, deps.repositories, [service], org);
}

/** While the record of the service is still there: without it, nobody knows the repository. @throws UNAVAILABLE */
export async function withdrawRepositories(deps: Deps, serviceId: string): Promise<void> {
  if (deps.repositories === null) return;
  const service = await deps.services.findConfirmed(serviceId);
  if (service === null || service.removingSince === null) return;
  for (const { org } of service.sharing.orgs) await agree(deps, deps.repositories, [service], org);
}

/** @throws UNAVAILABLE */
export async function reconcileRepositories(deps: Deps, member: Member): Promise<void> {
  const { repositories } = deps;
  if (repositories === null) return;
  const usable = await servicesOf(deps, member.org);
  const foreign = usable.filter(({ org }) => org !== member.org);
  const works = [() => repositories.ensureMember(member), () => agree(deps, repositories, foreign, member.org)];
  await eachOf(works, (work) => work());
}

/** @throws UNAVAILABLE */
export async function reconcileAllRepositories(deps: Deps): Promise<void> {
  const { repositories } = deps;
  if (repositories === null) return;
  const shared = new Map<string, ServiceRecord[]>();
  for (const service of await servicesOf(deps, null)) {
    if (service.removingSince !== null) continue;
    for (const { org } of service.sharing.orgs) shared.set(org, [...(shared.get(org) ?? []), service]);
  }
  await eachOf(shared, ([org, services]) => agree(deps, repositories, services, org));
}

/** Sets the role of an org on the repositories of these services, as all services that live there say. */
async function agree(
  deps: Deps,
  repositories: RepositoryAccess,
  services: readonly ServiceRecord[],
  org: string,
): Promise<void> {
  const { gitHost } = deps;
  const found = new Map<string, string>();
  for (const service of services) {
    const repository = sharedRepository(service, gitHost);
    if (repository !== null) found.set(repository, service.org);
  }
  await eachOf(found, async ([repository, owner]) => {
    const there = await servicesAt(deps, { repository, owner });
    await repositories.setOrgRole({ repository, org, role: repositoryRole(there, { repository, org, gitHost }) });
  });
}

/**
 * The services that live in a repository and are not being removed, as a majority of the database has them: by them alone
 * people are let in. One that a failover hides gives nothing; the next hour looks again.
 */
async function servicesAt(
  deps: Deps,
  { repository, owner }: { readonly repository: string; readonly owner: string },
): Promise<readonly ServiceRecord[]> {
  const isThere = (service: ServiceRecord) => sharedRepository(service, deps.gitHost) === repository;
  const confirmed: ServiceRecord[] = [];
  for (const { id } of (await servicesOf(deps, owner)).filter(isThere)) {
    const service = await deps.services.findConfirmed(id);
    if (service !== null && service.removingSince === null) confirmed.push(service);
  }
  return confirmed;
}
