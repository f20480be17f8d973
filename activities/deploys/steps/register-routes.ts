import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, releaseToRegister, requireServiceRegistry } from '../registered-service.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'releases' | 'builds' | 'epochs' | 'edge'>;

/**
 * Registers what the release offers: its routes as the catalog declares them, its port and its address. A rollback
 * registers the routes that the release was built with. Idempotent: the registry keeps what a service offers now.
 * @throws UNAVAILABLE of the system `registry`
 */
export async function registerRoutes(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, signal, warn, onLine } = context;
  const registry = requireServiceRegistry(deps);
  const { service, release, catalog, place } = await releaseToRegister(deps, context);
  if (catalog === null) {
    warn(`The catalog of release ${release.id} is not known any more; the registry keeps the routes it has.`);
    return {};
  }
  await registry.declare(declarationOf(service), signal);
  const { environment, buildId } = build;
  const { commitSha: commit, port, healthEndpoint } = release;
  const url = deps.edge.url(service.name, environment);
  const offered = {
    buildId,
    releaseId: release.id,
    commit,
    port,
    url,
    healthEndpoint,
    routes: catalog.routes,
    modules: catalog.modules,
  };
  await registry.register(place, offered, signal);
  onLine(
    `Registered ${service.name} at port ${port} with ${catalog.routes.length === 1 ? '1 route' : `${catalog.routes.length} routes`}`,
  );
  return {};
}
