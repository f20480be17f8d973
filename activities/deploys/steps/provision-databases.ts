import { type DatabaseEngine, ENGINES } from '../../../domain/databases/engines.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { isLoopbackHost } from '../../../domain/oauth-clients/redirect-uri.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Makes the databases of the catalog, each with a user of its own (spec 2, "Pipeline order"). An engine without a server
 * is a warning, and the deploy goes on. A database that the catalog does not name any more stays, until the service is
 * removed. Idempotent: sets states; a redeploy keeps database and password.
 * @throws CONFLICT for a database of that name that is not the service's; UNAVAILABLE
 */
export async function provisionDatabases(
  deps: Pick<DeploysDeps, 'services' | 'databases' | 'releases'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const { build, signal, onLine, warn } = context;
  const service = await findService(deps, build);
  const owner = { service: service.name, serviceId: service.id, org: service.org, environment: build.environment };
  const databases: DatabaseEngine[] = [];
  for (const engine of catalog.databases) {
    const { title, adminVariable, withoutServer, notBackedUp } = ENGINES[engine];
    const made = await deps.databases?.provision(engine, owner, signal);
    if (made === undefined || made === null) {
      const remedy = `set ${adminVariable} on the worker and deploy again`;
      const why = `${service.name} gets no ${title} database: no server of it is configured; ${remedy}.`;
      warn(withoutServer === '' ? why : `${why} ${withoutServer}`);
      continue;
    }
    databases.push(engine);
    const kept = notBackedUp === null ? '' : ` (${notBackedUp})`;
    onLine(`The ${title} database is ${made.database}${kept}`);
    for (const warning of [...made.warnings, ...unreachable(deps, engine)]) warn(warning);
  }
  return { databases };
}

/** What a person should know whose containers cannot reach the server at the address that they are given. */
function unreachable({ databases }: Pick<DeploysDeps, 'databases'>, engine: DatabaseEngine): readonly string[] {
  const [address] = databases?.addresses([engine], 0) ?? [];
  if (address === undefined || !isLoopbackHost(address.host)) return [];
  const { title, hostVariable } = ENGINES[engine];
  return [
    `In a container ${address.host} is the container itself, so the service does not reach its ${title} database: set ${hostVariable} to an address at which containers reach the server.`,
  ];
}
