import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, requireServiceRegistry } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Announces the modules of the catalog to the service registry. They are those of the service once its release is
 * registered. Idempotent: what is announced is replaced as a whole.
 * @throws UNAVAILABLE of the system `registry`
 */
export async function announceModules(
  deps: Pick<DeploysDeps, 'serviceRegistry' | 'services'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, signal, onLine } = context;
  const { modules } = requireFacts(context.facts, ['catalog']).catalog;
  const registry = requireServiceRegistry(deps);
  const service = await findService(deps, build);
  await registry.declare(declarationOf(service), signal);
  const { environment, buildId } = build;
  await registry.announceModules({ serviceId: service.id, environment }, { buildId, modules }, signal);
  onLine(`Announced ${modules.map(({ name }) => name).join(', ')}`);
  return {};
}
