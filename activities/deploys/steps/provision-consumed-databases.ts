import { type ConsumedDatabase, consumedVariable } from '../../../domain/databases/consumer.ts';
import { ENGINES } from '../../../domain/databases/engines.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { GrantBlock } from '../../../domain/grants/grant.ts';
import {
  askerOf,
  type ForeignScopes,
  foreignScopes,
  grantsBlocked,
  readBlockedGrants,
  requireGrants,
} from '../dependency-grants.ts';
import type { DeploysDeps } from '../deps.ts';
import { targetsOf } from '../pending-grants.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** States of a grant of which nothing is approved any more. */
const OVER: ReadonlySet<GrantBlock> = new Set<GrantBlock>(['revoked', 'denied']);

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
  const needed = await foreignScopes(deps, service, environment, catalog);
  await endRevoked(deps, context, needed);
  await requireGrants(deps, context, needed);
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
      // Before anything else can take time or end this attempt.
      await requireStill(deps, context);
      consumedDatabases.push(from);
      const may = access === 'read' ? 'read' : 'read and write';
      onLine(`${variable} leads to the ${title} database ${given.database}, which this service may ${may}`);
    }
  }
  await requireStill(deps, context);
  return { consumedDatabases };
}

/** An earlier attempt may have been killed between a login that it made and its look at a grant that was revoked meanwhile. */
async function endRevoked(deps: Deps, { build }: StepContext, needed: readonly ForeignScopes[]): Promise<void> {
  const by = { serviceId: build.serviceId, environment: build.environment };
  for (const one of needed) {
    const blocked = await readBlockedGrants(deps, [one]);
    const isOver = blocked === null || (blocked.length > 0 && blocked.every(({ state }) => OVER.has(state)));
    if (isOver) await deps.databases?.endConsumed(by, ({ serviceId }) => serviceId === one.key.target.serviceId);
  }
}

/** What was revoked while the logins were made ends what it sees; what it did not see yet ends here. */
async function requireStill(deps: Deps, { build, facts }: StepContext): Promise<void> {
  const { catalog } = requireFacts(facts, ['catalog']);
  const { environment } = build;
  const service = await findService(deps, build);
  const needed = await foreignScopes(deps, service, environment, catalog);
  const refused = [];
  for (const one of needed) {
    const blocked = await readBlockedGrants(deps, [one]);
    if (blocked?.length === 0) continue;
    refused.push(...(blocked ?? []));
    const by = { serviceId: service.id, environment };
    await deps.databases?.endConsumed(by, ({ serviceId }) => serviceId === one.key.target.serviceId);
  }
  if (refused.length > 0) {
    throw grantsBlocked(refused, { asker: askerOf(needed), deployAgain: build.waitForGrantsSeconds === undefined });
  }
}
