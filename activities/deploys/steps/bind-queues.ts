import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Binding } from '../../../domain/registry/service-entry.ts';
import type { DeployPlace, ServiceRegistry } from '../../../domain/registry/service-registry.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, releaseToRegister, requireServiceRegistry } from '../registered-service.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'releases' | 'builds' | 'epochs'>;

const PAGE = 200;

/**
 * Registers the queues and schedules that the catalog declares, with the port of the service, and then removes those of
 * this service and environment that it declares no more (spec 2, "Events"). When the list cannot be read as a whole,
 * nothing is removed. Idempotent: the registry keeps what is declared now.
 * @throws UNAVAILABLE of the system `registry`
 */
export async function bindQueues(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, signal, warn, onLine } = context;
  const registry = requireServiceRegistry(deps);
  const { service, release, catalog, place } = await releaseToRegister(deps, context);
  if (catalog === null) {
    warn(`The catalog of release ${release.id} is not known any more; the registry keeps the bindings it has.`);
    return {};
  }
  // Absent in what a worker of an earlier version handed on.
  const declared = catalog.bindings ?? [];
  await registry.declare(declarationOf(service), signal);
  const bind = async (): Promise<void> => {
    for (const binding of declared) await registry.putBinding(place, { ...binding, port: release.port }, signal);
  };
  const isBound = await bind().then(() => true, unlessRefused);
  await prune(registry, context, { place, namespace: `${service.name}-${build.environment}`, declared });
  // Those that the catalog declares no more may have taken up the room.
  if (!isBound) await bind();
  if (declared.length > 0) {
    const count = `${declared.length} ${declared.length === 1 ? 'queue or schedule' : 'queues and schedules'}`;
    onLine(
      `Registered ${count}: a scheduler or broker that reads the service registry calls them, Fairlead brings none`,
    );
  }
  return {};
}

/** False for a binding that the registry does not take: with those that there are, it has as many as it keeps. */
function unlessRefused(error: unknown): false {
  if (error instanceof FairleadError && error.code === 'VALIDATION_FAILED') return false;
  throw error;
}

type BindingName = Pick<Binding, 'kind' | 'name'>;

interface Pruning {
  readonly place: DeployPlace;
  /** Records of another namespace are left alone. */
  readonly namespace: string;
  readonly declared: readonly BindingName[];
}

async function prune(registry: ServiceRegistry, context: StepContext, pruning: Pruning): Promise<void> {
  const { signal, warn, onLine } = context;
  const listed = await listAll(registry, pruning.place, signal).catch((error: unknown) => {
    if (!(error instanceof FairleadError)) throw error;
    warn(`${error.message} The list of bindings could not be read: none is removed.`);
    return [];
  });
  const keyOf = ({ kind, name }: BindingName): string => `${kind} ${name}`;
  const kept = new Set(pruning.declared.map(keyOf));
  const outdated = listed.filter((one) => one.namespace === pruning.namespace && !kept.has(keyOf(one)));
  for (const { kind, name } of outdated) {
    await registry.removeBinding(pruning.place, { kind, name }, signal);
    onLine(`Removed the ${kind} ${name}, which the catalog does not declare any more`);
  }
}

async function listAll(
  registry: ServiceRegistry,
  place: DeployPlace,
  signal: AbortSignal,
): Promise<readonly Binding[]> {
  const found: Binding[] = [];
  let cursor: string | null = null;
  do {
    const page = await registry.listBindings(place, { cursor, limit: PAGE }, signal);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
