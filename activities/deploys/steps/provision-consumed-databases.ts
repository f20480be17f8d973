import { type ConsumedDatabase, consumedVariable } from '../../../domain/databases/consumer.ts';
import { ENGINES } from '../../../domain/databases/engines.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { foreignScopes, requireGrants } from '../dependency-grants.ts';
import type { DeploysDeps } from '../deps.ts';
import { targetsOf } from '../pending-grants.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'databases' | 'grants' | 'grantCommands'>;

/**
 * Gives the service a login of its own to each database of another service that its catalog names (spec 2, "Pipeline
 * order"; the field is ours). A service of the same org, or of an org that authorized this one, needs no grant. A database
 * that is not there is a warning. What the catalog does not name any more ends after the build, once nothing has it.
 * Idempotent: a redeploy keeps the login.
 *
 * @throws SCOPE_GRANT_BLOCKED unless all is approved; CONFLICT (retryable), UNAVAILABLE
 */
export async function provisionConsumedDatabases(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const { build, signal, onLine, warn } = context;
  const { environment } = build;
  const service = await findService(deps, build);
  await requireAllowed(deps, context);
  const by = { service: service.name, serviceId: service.id, org: service.org, environment };
  const targets = await targetsOf(deps, catalog);
  const consumedDatabases: ConsumedDatabase[] = [];
  for (const { service: name, databases = [] } of catalog.dependencies) {
    const target = targets.find((one) => one.name === name && one.id !== service.id);
    for (const { type: engine, access } of databases) {
      const { title } = ENGINES[engine];
      const variable = consumedVariable({ service: name, engine });
      const from = target && { engine, access, service: name, serviceId: target.id };
      const given = from && (await deps.databases?.consume({ from, by }, signal));
      if (from === undefined || given == null) {
        const remedy = `Deploy ${name} there with one, then deploy this service again.`;
        warn(`${variable} is not given: ${name} has no ${title} database in ${environment}. ${remedy}`);
        continue;
      }
      consumedDatabases.push(from);
      const may = access === 'read' ? 'read' : 'read and write';
      onLine(`${variable} leads to the ${title} database ${given.database}, which this service may ${may}`);
    }
  }
  // What was revoked meanwhile was not given, or has ended: the build hears of it here.
  await requireAllowed(deps, context);
  return { consumedDatabases };
}

/** Ends what nothing allows any more, also of earlier builds and attempts, and asks for what is not granted. */
async function requireAllowed(deps: Deps, context: StepContext): Promise<void> {
  const { build, facts } = context;
  const { catalog } = requireFacts(facts, ['catalog']);
  const { serviceId, environment } = build;
  await deps.databases?.endConsumed({ serviceId, environment }, async () => null);
  const service = await findService(deps, build);
  await requireGrants(deps, context, await foreignScopes(deps, service, environment, catalog));
}
