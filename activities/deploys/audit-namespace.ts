import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { DeploysDeps } from './deps.ts';
import { findService } from './service-lookup.ts';

/**
 * Tells the audit ledger `namespace.created` (spec 2, "Events") when a service gets its place in an environment: when
 * its namespace is registered, or else with the first workload that is started there. It is told before it is noted on the service, and says nothing of the build
 * that comes first: whoever repeats it after a crash says the same, which the ledger keeps once under the event's key.
 *
 * @throws SERVICE_NOT_FOUND
 */
export async function auditNamespace(
  deps: Pick<DeploysDeps, 'services' | 'audit'>,
  build: BuildRequest,
): Promise<void> {
  const { id, name, org, namespaces } = await findService(deps, build);
  const { environment } = build;
  if (namespaces[environment] !== undefined) return;
  await deps.audit?.record({
    id: `namespace.created/${id}/${environment}`,
    type: 'namespace.created',
    actor: 'builder',
    why: 'first workload',
    requestId: null,
    subject: name,
    orgSlug: org,
    data: { namespace: `${name}-${environment}`, service: name, environment },
    address: null,
    time: null,
  });
  await deps.services.addNamespace(id, environment);
}
