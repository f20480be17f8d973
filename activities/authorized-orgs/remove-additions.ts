import type { SharedWith } from '../../domain/authorized-orgs/messages.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { clientIdsOf, serviceClientId } from '../../domain/oauth-clients/ownership.ts';
import type { SharingDeps } from './deps.ts';

type Deps = Pick<SharingDeps, 'services' | 'clients'>;

/**
 * Removes the secrets and redirect URIs that an org which was taken out added to the clients of the service. Also when it
 * was let in again meanwhile: that gives nothing back. What it added since then stays.
 * @throws UNAVAILABLE
 */
export async function removeAdditions(deps: Deps, { serviceId, org, takenOut }: SharedWith): Promise<void> {
  if (takenOut === undefined) return;
  const service = await deps.services.findConfirmed(serviceId);
  // The clients of a service that is removed go with it.
  if (service === null) return;
  const usual = ENVIRONMENTS.map((environment) => serviceClientId(service.name, environment));
  for (const clientId of new Set([...usual, ...clientIdsOf(service)])) {
    await deps.clients.removeAdditions({ clientId, org, revision: takenOut }, { actor: 'internal' });
  }
}
