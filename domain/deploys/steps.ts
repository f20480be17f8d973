import type { BuildStage } from './status.ts';

export type StepState = 'pending' | 'running' | 'completed' | 'skipped' | 'reused' | 'failed' | 'warned' | 'cancelled';

/**
 * One row of the deploy pipeline.
 *
 * `deadlineSeconds` covers all attempts together, `attemptSeconds` one of them. A step without `activity` belongs to
 * work that a service asks for in its catalog but this installation does not carry out yet: it is always skipped,
 * with its reason.
 */
export interface StepDefinition {
  readonly key: string;
  readonly title: string;
  readonly stage: BuildStage;
  /** Whether a failure of the step ends the build (spec 2, "Fail-open versus hard-fail"). */
  readonly onFailure: 'fail' | 'warn';
  readonly activity: string | null;
  readonly deadlineSeconds: number;
  readonly attemptSeconds: number;
}

/** Every step of a deploy, in order (spec 2, "Pipeline order"). The shape of this table is the plan's shape. */
export const STEPS = [
  step('source', 'Fetch source', 'cloning', 'fail', 'fetchSource', 900, 600),
  step('catalog', 'Parse catalog', 'cloning', 'fail', 'readCatalog', 60, 30),
  step('container-file', 'Decide container file', 'building', 'fail', 'prepareContainerFile', 60, 30),
  step('deploy-gate', 'Deploy gate', 'building', 'fail', null),
  step('config-preflight', 'Config preflight', 'building', 'fail', 'preflightConfig', 60, 30),
  step('convention-check', 'Convention check', 'building', 'fail', null),
  step('sdk-upgrade-gate', 'SDK upgrade gate', 'building', 'fail', null),
  step('image-build', 'Build image', 'building', 'fail', 'buildImage', 3_600, 1_800),
  step('image-push', 'Push image', 'pushing', 'fail', 'pushImage', 1_800, 900),
  step('namespace', 'Namespace', 'deploying', 'fail', null),
  step('databases', 'Provision databases', 'deploying', 'fail', null),
  step('consumed-databases', 'Provision consumed databases', 'deploying', 'fail', null),
  step('storage', 'Provision object storage', 'deploying', 'fail', null),
  step('dependencies', 'Resolve dependencies', 'deploying', 'fail', null),
  step('oauth-client', 'Provision OAuth client', 'deploying', 'fail', 'provisionOAuthClient', 120, 30),
  step('model-access', 'Model-access identity', 'deploying', 'warn', null),
  step('scope-grants', 'Create scope grants', 'deploying', 'fail', null),
  step('modules', 'Register modules', 'deploying', 'fail', null),
  step('user-access', 'Provision user access', 'deploying', 'fail', null),
  step('install', 'Install workload', 'deploying', 'fail', 'installWorkload', 900, 420),
  step('snapshot', 'Deploy snapshot', 'deploying', 'warn', null),
  step('dns', 'Configure DNS', 'deploying', 'warn', null),
  step('health-check', 'Check health', 'deploying', 'fail', 'checkHealth', 180, 90),
  step('secret-readback', 'Secret readback', 'deploying', 'fail', null),
  step('gated-tests', 'Deploy-gated tests', 'testing', 'fail', null),
  step('service-registration', 'Register service', 'testing', 'fail', 'registerRelease', 120, 30),
  step('bindings', 'Queue and schedule bindings', 'testing', 'warn', null),
  step('role-metadata', 'Role and registration metadata', 'testing', 'warn', null),
  step('monitor', 'Uptime monitor', 'testing', 'warn', null),
] as const satisfies readonly StepDefinition[];

export type StepKey = (typeof STEPS)[number]['key'];

/** Names of the activities that carry steps out. */
export type StepActivity = NonNullable<(typeof STEPS)[number]['activity']>;

const BY_KEY: ReadonlyMap<string, StepDefinition> = new Map(STEPS.map((definition) => [definition.key, definition]));

/** The definition of a step; every {@link StepKey} has one. */
export function stepDefinition(key: StepKey): StepDefinition {
  const definition = BY_KEY.get(key);
  if (definition === undefined) throw new Error(`no step is called ${key}`);
  return definition;
}

/** True when `a` comes before `b` in the pipeline. */
export function isBefore(a: StepKey, b: StepKey): boolean {
  return STEPS.findIndex((row) => row.key === a) < STEPS.findIndex((row) => row.key === b);
}

function step<K extends string, A extends string | null>(
  key: K,
  title: string,
  stage: BuildStage,
  onFailure: 'fail' | 'warn',
  activity: A,
  deadlineSeconds = 60,
  attemptSeconds = 30,
) {
  return { key, title, stage, onFailure, activity, deadlineSeconds, attemptSeconds };
}
