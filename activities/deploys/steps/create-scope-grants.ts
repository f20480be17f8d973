import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { applyGrants, foreignScopes, requireGrants } from '../dependency-grants.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'grants' | 'grantCommands'>;

/**
 * Asks for the scopes of other orgs' services that the catalog declares, and gives the client those that are approved
 * (spec 2, "Scope grant states"). Idempotent: what is asked for is not asked again, and the client is made to agree with
 * each grant. What is decided already is read from its record. What a grant gave stays when the catalog drops it, as all scopes do (spec 1, B 3).
 *
 * @throws SCOPE_GRANT_BLOCKED unless all of them are approved
 */
export async function createScopeGrants(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const service = await findService(deps, context.build);
  const needed = await foreignScopes(deps, service, context.build.environment, catalog);
  await requireGrants(deps, context, needed);
  await applyGrants(deps, needed);
  for (const { key, scopes } of needed) context.onLine(`Scopes of ${key.target.name}: ${scopes.join(', ')}`);
  return {};
}
