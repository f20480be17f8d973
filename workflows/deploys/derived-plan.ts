import type { BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import type { BuildStage } from '../../domain/deploys/status.ts';
import type { StepRun } from '../../domain/deploys/step-run.ts';

/**
 * The plan of builds that version 0.1 began: it stored no way to run a step, and derived the plan in the workflow. Frozen
 * as it was; nothing of today's table of steps is in it. To be removed with the recordings in
 * `test/replay/histories/0.1/`, once no build of that version can be in flight.
 */

const ROWS: readonly PlannedStep[] = [
  row('source', 'Fetch source', 'cloning', 'fetchSource', 900, 600),
  row('catalog', 'Parse catalog', 'cloning', 'readCatalog', 60, 30),
  row('container-file', 'Decide container file', 'building', 'prepareContainerFile', 60, 30),
  row('config-preflight', 'Config preflight', 'building', 'preflightConfig', 60, 30),
  row('image-build', 'Build image', 'building', 'buildImage', 3_600, 1_800),
  row('image-push', 'Push image', 'pushing', 'pushImage', 1_800, 900),
  row('oauth-client', 'Provision OAuth client', 'deploying', 'provisionOAuthClient', 120, 30),
  row('install', 'Install workload', 'deploying', 'installWorkload', 900, 420, {
    undo: { activity: 'restorePrevious', until: 'health-check' },
    supersedable: false,
  }),
  row('health-check', 'Check health', 'deploying', 'checkHealth', 180, 90),
  row('service-registration', 'Register service', 'testing', 'registerRelease', 120, 30, { cancellable: false }),
];

/** Steps whose results did not outlive their build, and the last step from which a retry made them again. */
const REMADE = [
  { until: 'image-push', steps: ['source', 'catalog', 'container-file', 'image-build'] },
  { until: 'health-check', steps: ['install'] },
] as const;

/** What a build of version 0.1 runs, as planned before its catalog was read. */
export function derivePlan(request: BuildRequest): readonly PlannedStep[] {
  return ROWS.filter(({ key }) => isPlanned(key, request, request.resume?.facts ?? {}));
}

/** What is left after a step, with what is known then: the catalog decides whether a client is provisioned. */
export function deriveRest(request: BuildRequest, facts: BuildFacts, done: PlannedStep): readonly PlannedStep[] {
  return ROWS.slice(placeOf(done.key) + 1).filter(({ key }) => isPlanned(key, request, facts));
}

function isPlanned(key: string, { kind, resume }: BuildRequest, facts: BuildFacts): boolean {
  if (kind === 'rollback' && placeOf(key) < placeOf('install')) return false;
  if (resume !== null && placeOf(key) < placeOf(resume.fromStep)) {
    const from = placeOf(resume.fromStep);
    return REMADE.some(({ until, steps }) => from <= placeOf(until) && steps.some((step) => step === key));
  }
  return key !== 'oauth-client' || (facts.catalog?.auth ?? null) !== null;
}

function placeOf(key: string): number {
  return ROWS.findIndex((planned) => planned.key === key);
}

function row(
  key: string,
  title: string,
  stage: BuildStage,
  activity: string,
  deadlineSeconds: number,
  attemptSeconds: number,
  special: Partial<StepRun> = {},
): PlannedStep {
  const run: StepRun = {
    activity,
    local: false,
    attemptSeconds,
    deadlineSeconds,
    failOpen: [],
    undo: null,
    cancellable: true,
    supersedable: true,
    ...special,
  };
  return { key, title, stage, onFailure: 'fail', state: 'pending', reason: null, run };
}
