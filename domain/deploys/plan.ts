import type { Catalog, CatalogSection } from '../catalog/catalog.ts';
import type { BuildKind, BuildStep } from './build.ts';
import { isBefore, STEPS, type StepKey } from './steps.ts';

/** What the plan depends on besides the catalog. */
export interface PlanFacts {
  readonly kind: BuildKind;
  /** For a retry: the first step to run again. */
  readonly fromStep: StepKey | null;
  readonly runtime: 'docker' | 'kubernetes';
}

/**
 * The ordered plan of all steps of a deploy, pure (spec 2, "Pipeline order"). Steps that will not run are present and
 * say why, so that a plan always has the same shape. With `catalog` null, as before the source is fetched, what
 * depends on the catalog is planned as if nothing were declared.
 */
export function planDeploy(catalog: Catalog | null, facts: PlanFacts): BuildStep[] {
  return STEPS.map((definition): BuildStep => {
    const outcome = reuse(definition.key, facts) ?? skip(definition, catalog, facts);
    return {
      key: definition.key,
      title: definition.title,
      stage: definition.stage,
      onFailure: definition.onFailure,
      state: outcome?.state ?? 'pending',
      reason: outcome?.reason ?? null,
      attempt: 0,
      startedAt: null,
      finishedAt: null,
      warnings: [],
    };
  });
}

interface Outcome {
  readonly state: 'skipped' | 'reused';
  readonly reason: string;
}

/**
 * Results that do not outlive their build: a retry from `until` or an earlier step makes them again. The source lives
 * in the workspace, and the workload of a release that did not become healthy is removed.
 */
const REMADE: readonly { readonly until: StepKey; readonly steps: readonly StepKey[] }[] = [
  { until: 'image-push', steps: ['source', 'catalog', 'container-file', 'image-build'] },
  { until: 'health-check', steps: ['install'] },
];

function reuse(key: StepKey, facts: PlanFacts): Outcome | null {
  if (facts.kind === 'rollback' && isBefore(key, 'install')) {
    return { state: 'reused', reason: 'the release already has its image and configuration' };
  }
  if (facts.fromStep === null || !isBefore(key, facts.fromStep)) return null;
  const { fromStep } = facts;
  if (REMADE.some(({ until, steps }) => !isBefore(until, fromStep) && steps.includes(key))) return null;
  return { state: 'reused', reason: 'done by the build that is retried' };
}

const UNAVAILABLE = 'declared, but this installation does not provide it yet';

/** Why a step without an activity is skipped: by what the catalog declares, or by the runtime. */
const SKIP_REASONS: Partial<Record<StepKey, (catalog: Catalog | null, facts: PlanFacts) => string>> = {
  'deploy-gate': () => 'the deploy gate applies to Kubernetes deploys with a wallet (WALLET_URL)',
  'convention-check': () => 'no convention rules are installed',
  'sdk-upgrade-gate': () => 'no registry service (REGISTRY_URL) holds changelogs',
  namespace: (_, facts) => (facts.runtime === 'docker' ? 'the Docker runtime has no namespaces' : UNAVAILABLE),
  databases: (catalog) => declared(catalog?.databases, 'the catalog declares no databases'),
  'consumed-databases': () => 'the service consumes no other service’s database',
  storage: (catalog) => declared(catalog?.storage, 'the catalog declares no storage'),
  dependencies: (catalog) => declared(catalog?.dependencies, 'the catalog declares no dependencies'),
  'oauth-client': () => 'the catalog declares no auth',
  'model-access': () => 'no model vendor is configured',
  'scope-grants': (catalog) => declared(catalog?.dependencies, 'the catalog declares no dependencies'),
  modules: section('modules', 'the catalog declares no modules'),
  'user-access': section('userAccess', 'the catalog declares no user access'),
  snapshot: () => 'no registry service (REGISTRY_URL) keeps deploy snapshots',
  dns: (_, facts) =>
    facts.runtime === 'docker'
      ? 'the local router needs no DNS records'
      : 'DNS management is off (ENABLE_DNS_MANAGEMENT)',
  'secret-readback': () => 'the secrets manager is off (SECRETS_ENABLED)',
  'gated-tests': section('tests', 'the catalog declares no tests'),
  bindings: (catalog) =>
    declares(catalog, 'queues') || declares(catalog, 'schedules')
      ? UNAVAILABLE
      : 'the catalog declares no queues or schedules',
  'role-metadata': section('registration', 'the catalog declares no registration'),
  monitor: () => 'no uptime monitor (MONITOR_URL) is configured',
};

/**
 * Steps with an activity that the catalog does without. What builds of earlier versions planned must stay planned: their
 * catalogs have no `auth`, whatever their sections say.
 */
const NOT_NEEDED: Partial<Record<StepKey, (catalog: Catalog | null) => boolean>> = {
  'oauth-client': (catalog) => (catalog?.auth ?? null) === null,
};

function skip(
  { key, activity }: { key: StepKey; activity: string | null },
  catalog: Catalog | null,
  facts: PlanFacts,
): Outcome | null {
  if (activity !== null && NOT_NEEDED[key]?.(catalog) !== true) return null;
  return { state: 'skipped', reason: SKIP_REASONS[key]?.(catalog, facts) ?? UNAVAILABLE };
}

function declared(entries: readonly unknown[] | undefined, none: string): string {
  return entries !== undefined && entries.length > 0 ? UNAVAILABLE : none;
}

function declares(catalog: Catalog | null, name: CatalogSection): boolean {
  return catalog?.sections.includes(name) ?? false;
}

function section(name: CatalogSection, none: string): (catalog: Catalog | null) => string {
  return (catalog) => (declares(catalog, name) ? UNAVAILABLE : none);
}

/** The steps that are skipped although the catalog asks for them: worth a warning on the build. */
export function unavailableSteps(steps: readonly BuildStep[]): readonly BuildStep[] {
  return steps.filter((step) => step.state === 'skipped' && step.reason === UNAVAILABLE);
}
