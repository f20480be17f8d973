import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { TargetRemoval } from '../../domain/deploys/messages.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import { beginsPlatformScopes } from '../../domain/oauth-clients/platform-scopes.ts';
import type { DeploysDeps } from './deps.ts';
import { STOP_GRACE_SECONDS } from './remove-stale-workloads.ts';

/**
 * Removes everything of a service, its OAuth clients with their tokens included. From its begin on nothing is deployed of
 * the service; its name is taken until all is gone. Idempotent: what is gone stays gone, and a second attempt goes on.
 * @throws SERVICE_BUSY while a build is open; UNAVAILABLE while a client cannot be removed, and then the record stays
 */
export async function removeService(deps: DeploysDeps, service: { id: string; name: string }): Promise<void> {
  // The record goes last: without it nothing is left, and the name may be another service's.
  if (!(await deps.services.setRemoving(service.id, true))) return;
  const open = await deps.builds.list({ serviceId: service.id, open: true }, { cursor: null, limit: 1 });
  const [busy] = open.items;
  if (busy !== undefined && (await deps.services.setRemoving(service.id, false))) {
    throw new FairleadError('SERVICE_BUSY', `Build ${busy.id} of ${service.name} is still running: cancel it first.`);
  }
  if (!(await deps.services.decideRemoval(service.id))) {
    if ((await deps.services.findConfirmed(service.id)) === null) return;
    // This attempt was paused, and another one found a build: what began since then is deployed.
    throw new FairleadError('SERVICE_BUSY', `A build of ${service.name} was still running: ask for its removal again.`);
  }
  await removeMonitors(deps, service);
  // Before the rest: they lead to whatever has the service's name.
  await deps.customDomains.release(service.id);
  for (const environment of ENVIRONMENTS) {
    await deps.workflows.removeTarget({ service: service.name, serviceId: service.id, environment });
  }
  // While its workloads are gone and its record is there: a killed attempt goes on by the record.
  await deps.databases?.keep(service.id);
  await removeClients(deps, service);
  await withdrawRepositories(deps, service.id);
  // Its bindings in every environment with it (spec 2, "Services and builds").
  await deps.serviceRegistry?.removeService(service.id);
  await removeGrants(deps, service.id);
  await deps.releases.removeService(service);
  await deps.builds.removeLockfiles(service.id);
  await deps.variableHistory.removeService(service.id);
  await deps.sharingHistory.removeService(service.id);
  await deps.serviceLogs.remove(service.id);
  await deps.services.remove(service.id);
}

/**
 * Before its workloads are gone: nobody is to be told of an outage. A service is removed whatever the uptime monitor says,
 * whose hourly reconcile finds out what it was not told. Those of its custom domains go with the domains.
 */
async function removeMonitors({ monitor, edge }: DeploysDeps, { name }: { name: string }): Promise<void> {
  const removed = ENVIRONMENTS.map((environment) =>
    monitor?.unregister({ serviceName: name, environment, url: edge.url(name, environment) }),
  );
  for (const ended of await Promise.allSettled(removed)) {
    if (ended.status === 'rejected' && !(ended.reason instanceof FairleadError)) throw ended.reason;
  }
}

/**
 * The clients of the service, whose ids are on its record alone, and what others were granted of it: both go before the
 * record, and so before its name is free.
 */
async function removeClients({ services, clients }: DeploysDeps, { id, name }: { id: string; name: string }) {
  const service = await services.findConfirmed(id);
  if (service === null || clients === null) return;
  const stored = Object.values(service.oauthCredentials).map(({ clientId }) => clientId);
  for (const clientId of new Set([...stored, ...(await unstoredClients(clients, service))])) {
    await clients.remove(clientId, { actor: 'internal' });
  }
  if (!beginsPlatformScopes(name)) await clients.revokeScopes({ service: name }, { actor: 'internal' });
}

/** Clients that a killed deploy made, and whose secret it did not store. */
async function unstoredClients(
  clients: NonNullable<DeploysDeps['clients']>,
  { name, org }: ServiceRecord,
): Promise<readonly string[]> {
  const found = await Promise.all(ENVIRONMENTS.map((environment) => clients.find(serviceClientId(name, environment))));
  const own = found.filter((client) => client !== null && client.service === name && client.orgSlug === org);
  return own.flatMap((client) => client?.clientId ?? []);
}

/** The repository goes from the orgs that shared the service, while its record says who they are. */
async function withdrawRepositories({ services, sharingCommands }: DeploysDeps, id: string): Promise<void> {
  const sharing = (await services.findConfirmed(id))?.sharing;
  if ((sharing?.orgs.length ?? 0) > 0) await sharingCommands.withdraw(id);
}

/** What the service asked for and was asked for: after its clients, from which an approved grant is taken with them. */
async function removeGrants({ grants, grantCommands }: DeploysDeps, serviceId: string): Promise<void> {
  for (const grant of await grants.ofService(serviceId)) {
    await grantCommands.close(grant);
    await grants.remove(grant.id);
  }
}

export interface RemoveTargetInput extends TargetRemoval {
  readonly epoch: number;
}

/**
 * Takes the public route of a service in one environment away and removes its workloads; those of a later service of
 * that name stay. Idempotent: what is gone stays gone.
 * @throws CONFLICT when the epoch is over: then others look after what runs
 */
export async function removeTarget(
  { edge, runtime, builds }: Pick<DeploysDeps, 'edge' | 'runtime' | 'builds'>,
  { service, environment, serviceId, epoch }: RemoveTargetInput,
): Promise<void> {
  await edge.unroute(service, environment, epoch);
  for (const workload of await runtime.list(service, environment)) {
    const build = await builds.find(workload.buildId);
    if (build === null || build.serviceId === serviceId) await runtime.remove(workload, STOP_GRACE_SECONDS);
  }
}
