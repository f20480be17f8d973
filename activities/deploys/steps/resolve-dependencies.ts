import type { Catalog } from '../../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../../domain/catalog/service.ts';
import { variablesIn } from '../../../domain/config/service-variables.ts';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import {
  dependencyUrl,
  dependencyVariable,
  type ResolvedDependency,
  resolvedDependency,
} from '../../../domain/deploys/dependency.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { namedScopes, serviceOfScopes } from '../../../domain/oauth-clients/platform-scopes.ts';
import { isLoopbackHost } from '../../../domain/oauth-clients/redirect-uri.ts';
import { SERVICE_ROWS, type ServiceRow } from '../../../domain/services.ts';
import type { DeploysDeps } from '../deps.ts';
import { targetsOf } from '../pending-grants.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'releases' | 'edge'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'hasPlatformProxy' | 'innerUrl' | 'platformUrls'>;
};

/** Why a service is not given the address of a dependency. */
type Unresolved =
  /** Also where there is no service of that name: who deploys need not learn which names other orgs have. */
  | 'not_deployed'
  /** Its public address is the only one, and leads to the container itself when it is used in one. */
  | 'unreachable';

const WARNINGS: Readonly<Record<Unresolved, (target: DeployTarget) => string>> = {
  not_deployed: ({ service, environment }) =>
    `${dependencyVariable(service)} is not given: no service ${service} is deployed in ${environment}. Deploy it there, then deploy this service again.`,
  unreachable: ({ service }) =>
    `${dependencyVariable(service)} is not given: on this set-up, containers do not reach the address of ${service}. Run the stack on Linux beside its container engine, or set PLATFORM_DOMAIN to a domain that leads to this machine, then deploy this service again.`,
};

/**
 * Finds where the dependencies of the catalog answer in the environment of the build (spec 2, "dependency resolution").
 * For one without an address there is a warning, and the deploy goes on. Idempotent: it only reads.
 */
export async function resolveDependencies(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { catalog, port } = requireFacts(context.facts, ['catalog', 'port']);
  const { environment } = context.build;
  const [service, known] = await Promise.all([findService(deps, context.build), targetsOf(deps, catalog)]);
  const dependencies: ResolvedDependency[] = [];
  for (const name of new Set(catalog.dependencies.map((declared) => declared.service))) {
    const target = { service: name, environment };
    const record = known.find((candidate) => candidate.name === name) ?? null;
    // Another org's service of that name is not what is meant: its address would be sent tokens for the platform's.
    const ofPlatform = record?.org === service.org ? undefined : platformService(name);
    if (ofPlatform !== undefined) {
      reportPlatformService(deps, context, { row: ofPlatform, declared: name, catalog });
      continue;
    }
    const found = await resolve(deps, target, { record, port });
    if ('because' in found) {
      context.warn(WARNINGS[found.because](target));
      continue;
    }
    const dependency = resolvedDependency(found.service, found.url);
    report(context, dependency, service);
    dependencies.push(dependency);
  }
  return { dependencies };
}

async function resolve(
  { releases, settings, edge }: Deps,
  target: DeployTarget,
  { record, port }: { readonly record: ServiceRecord | null; readonly port: number },
): Promise<{ readonly service: ServiceRecord; readonly url: string } | { readonly because: Unresolved }> {
  const { service, environment } = target;
  if (record === null || (await releases.active(service, environment)) === null) return { because: 'not_deployed' };
  const inner = settings.innerUrl ?? (settings.hasPlatformProxy ? dependencyUrl : null);
  if (inner !== null) return { service: record, url: inner(target, port) };
  const url = edge.url(service, environment);
  return isLoopbackHost(new URL(url).hostname) ? { because: 'unreachable' } : { service: record, url };
}

/** The service of the platform that a catalog names, by its own name or by the word of its scopes. */
function platformService(declared: string): ServiceRow | undefined {
  return SERVICE_ROWS.find(({ name }) => name === declared || name === serviceOfScopes(declared));
}

/**
 * A service of the platform has no release to look for: each workload is given its address, whether it declares it or not,
 * or none is. Said is what the service that declares it lacks.
 * @param declared the word by which the catalog names it
 */
function reportPlatformService(
  { settings: { platformUrls, hasPlatformProxy } }: Pick<Deps, 'settings'>,
  { onLine, warn }: Pick<StepContext, 'onLine' | 'warn'>,
  {
    row: { name, injectedAs: variable },
    declared,
    catalog,
  }: { readonly row: ServiceRow; readonly declared: string; readonly catalog: Catalog },
): void {
  const url = variable === null ? undefined : platformUrls[variable];
  const hasScopes = catalog.dependencies.some((one) => one.service === declared && namedScopes(one).length > 0);
  if (variable === null) {
    warn(
      `${dependencyVariable(name)} is not given: ${name} is a service of the platform, which containers do not reach. Tokens of this service have its scopes, for calls from elsewhere.`,
    );
  } else if (url === undefined) {
    warn(`${variable} is not given: this installation names no address of its ${name}.`);
  } else if (isLoopbackHost(new URL(url).hostname) && !hasPlatformProxy) {
    warn(
      `${variable} is ${url}, which in a container is the container itself. Run the stack on Linux beside its container engine, or give ${name} an address that containers reach.`,
    );
  } else if (!hasScopes) {
    // Spec 3, "Authentication", "Audit ledger", 4, which is as true of the others.
    warn(`${declared} need not be in spec.dependencies: every service is given ${variable}, and no scope is declared.`);
  } else if (catalog.auth === null) {
    warn(`${variable} is ${url}, and ${name} takes tokens alone: declare spec.auth, so that this service has some.`);
  } else {
    onLine(`${variable} is ${url}, of a service of the platform`);
  }
}

/** Says by which variable a dependency is found, or why by none. */
function report(
  { build, onLine, warn }: StepContext,
  { service: name, url, variable }: ResolvedDependency,
  caller: ServiceRecord,
): void {
  if (variable === null) {
    const reserved = `${dependencyVariable(name)} is a variable of the platform, so it does not hold the address of ${name}`;
    const own = `${dependencyVariable(`${name}-service`)}=${url} --service ${build.service} --env ${build.environment}`;
    warn(`${reserved}. Set one of your own: fairlead config set ${own}`);
    return;
  }
  const set = Object.values(variablesIn(caller, build.environment)).some((values) => Object.hasOwn(values, variable));
  if (set) onLine(`${variable} stays as it was set with fairlead config; ${name} answers at ${url}`);
  else onLine(`${variable} is ${url}`);
}
