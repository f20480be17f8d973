import type { Catalog } from '../../../domain/catalog/catalog.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, releaseToRegister, requireServiceRegistry } from '../registered-service.ts';
import type { StepContext } from '../step.ts';
import { PEOPLE, setSignInRule, signInRuleOf } from '../user-access.ts';

type Deps = Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'releases' | 'builds' | 'epochs' | 'clients'>;
type Registered = Awaited<ReturnType<typeof releaseToRegister>>;

/**
 * Lets in whom the catalog of the release lets in, and tells the service registry its roles and what people sign up for.
 * Neither waits for the other to be there. Idempotent: both keep what the release that serves says.
 * @throws UNAVAILABLE of the systems `registry` and `identity-provider`
 */
export async function registerMetadata(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const registered = await releaseToRegister(deps, context);
  const { catalog, release } = registered;
  if (catalog === null) {
    context.warn(`The catalog of release ${release.id} is not known any more; roles and sign-in stay as they are.`);
    return {};
  }
  const outcomes = await Promise.allSettled([
    applySignInRule(deps, context, catalog),
    tellRegistry(deps, context, registered, catalog),
  ]);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  const [first, ...more] = failures;
  for (const failure of more) if (failure instanceof FairleadError) context.warn(failure.message);
  if (first !== undefined) throw first;
  return {};
}

async function applySignInRule(deps: Deps, context: StepContext, catalog: Catalog): Promise<void> {
  const rule = signInRuleOf(catalog);
  if (rule === null) return;
  try {
    if (await setSignInRule(deps, context, rule)) context.onLine(`Sign-in is for ${PEOPLE[rule]}`);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'CLIENT_NOT_FOUND') throw error;
    context.warn(`${error.message}; the next deploy makes it anew.`);
  }
}

async function tellRegistry(
  deps: Deps,
  { signal, onLine }: StepContext,
  { service, place }: Registered,
  catalog: Catalog,
): Promise<void> {
  // One without a registry runs the step for its sign-in alone.
  if (deps.serviceRegistry === null) return;
  const registry = requireServiceRegistry(deps);
  const roles = catalog.userAccess?.roles ?? [];
  const registration = catalog.registration ?? null;
  await registry.declare(declarationOf(service), signal);
  await registry.putMetadata(place, { roles, registration }, signal);
  if (roles.length > 0) onLine(`Registered the roles ${roles.map(({ name }) => name).join(', ')}`);
}
