import type { BuildStep, PlannedStep, StepState } from './build.ts';
import { isReinstall } from './build-kind.ts';
import type { RepeatedStep } from './build-wait.ts';
import type { Decision, Installation, PlanContext, StepDefinition } from './step-definition.ts';
import { STEPS } from './steps.ts';

/** What the one runtime of this version provides by itself. */
export const DOCKER_INSTALLATION: Installation = {
  runtime: 'docker',
  wallet: false,
  registry: false,
  monitor: false,
  siteRegistry: false,
  testRunner: false,
  dns: false,
};

/**
 * The ordered plan of all steps of a build, pure (spec 2, "Pipeline order"). Steps that will not run are present and say
 * why, so that a plan always has the same shape. It is stored on the build, and a build runs what is stored: nothing
 * plans it again after its catalog is read.
 *
 * @param steps the table; another one in tests only
 */
export function planDeploy(context: PlanContext, steps: readonly StepDefinition[] = STEPS): PlannedStep[] {
  return steps.map((definition) => {
    const { key, title, stage, failOpen, run } = definition;
    const outcome = reuse(definition, context, steps) ?? skip(definition.when(context));
    return {
      key,
      title,
      stage,
      onFailure: failOpen.some(({ codes }) => codes === 'any') ? 'warn' : 'fail',
      state: outcome?.state ?? 'pending',
      reason: outcome?.reason ?? null,
      run: outcome === null ? run : null,
    };
  });
}

/** Titles and reasons of the steps that are skipped although the catalog asks for them: worth a warning on the build. */
export function declaredButSkipped(
  context: PlanContext,
  steps: readonly StepDefinition[] = STEPS,
): readonly { readonly title: string; readonly reason: string }[] {
  return steps.flatMap((definition) => {
    if (reuse(definition, context, steps) !== null) return [];
    const decision = definition.when(context);
    return decision !== 'run' && decision.declared ? [{ title: definition.title, reason: decision.skip }] : [];
  });
}

interface Outcome {
  readonly state: 'skipped' | 'reused';
  readonly reason: string;
}

function skip(decision: Decision): Outcome | null {
  return decision === 'run' ? null : { state: 'skipped', reason: decision.skip };
}

/** What a rollback, a restart or a retry takes over from an earlier build. */
function reuse(
  { key, remadeUntil, ofRollback }: StepDefinition,
  { kind, fromStep, done }: PlanContext,
  steps: readonly StepDefinition[],
): Outcome | null {
  const isBefore = (a: string, b: string): boolean => placeOf(a, steps) < placeOf(b, steps);
  if (isReinstall(kind) && isBefore(key, 'install') && !ofRollback) {
    return { state: 'reused', reason: 'the release already has its image and configuration' };
  }
  if (fromStep === null || !isBefore(key, fromStep)) return null;
  if (remadeUntil !== null && !isBefore(remadeUntil, fromStep)) return null;
  if (done?.includes(key) === false) return null;
  return { state: 'reused', reason: 'done by the build that is retried' };
}

/** Keys of the steps that a build has behind it. */
export function stepsDone({ steps }: { readonly steps: readonly PlannedStep[] }): readonly string[] {
  const ended: readonly StepState[] = ['completed', 'reused', 'warned'];
  return steps.filter(({ state }) => ended.includes(state)).map(({ key }) => key);
}

/**
 * The steps before `at` whose results do not outlive the time until then: a retry from `at` makes them again, and so does a
 * build that waited there.
 */
export function remadeAt(at: string, steps: readonly StepDefinition[] = STEPS): readonly string[] {
  const place = placeOf(at, steps);
  return steps
    .slice(0, Math.max(place, 0))
    .filter(({ remadeUntil }) => remadeUntil !== null && placeOf(remadeUntil, steps) >= place)
    .map(({ key }) => key);
}

/** What a build that waited at the step `at` runs again before it, of what it had run. */
export function stepsToRepeat(
  { steps }: { readonly steps: readonly BuildStep[] },
  at: string,
): readonly RepeatedStep[] {
  const remade = remadeAt(at);
  const begun = steps.filter(({ key, startedAt }) => startedAt !== null && remade.includes(key));
  return begun.flatMap(({ key, title, stage, onFailure, run, attempt }) =>
    run === null
      ? []
      : { step: { key, title, stage, onFailure, state: 'pending', reason: null, run }, attempts: attempt },
  );
}

/** True for a build that began something which a later step should have made permanent, and that step did not succeed. */
export function hasEffectsToUndo({ steps }: { readonly steps: readonly BuildStep[] }): boolean {
  return steps.some(({ run, startedAt }) => {
    const until = run?.undo?.until;
    if (until === undefined || startedAt === null) return false;
    return steps.find(({ key }) => key === until)?.state !== 'completed';
  });
}

function placeOf(key: string, steps: readonly StepDefinition[]): number {
  return steps.findIndex((definition) => definition.key === key);
}

/** What a workflow carries out, in order: the planned steps that wait, each with how it runs. */
export function stepsToRun(steps: readonly PlannedStep[]): readonly PlannedStep[] {
  return steps
    .filter(({ state, run }) => state === 'pending' && run !== null)
    .map(({ key, title, stage, onFailure, state, reason, run }) => ({
      key,
      title,
      stage,
      onFailure,
      state,
      reason,
      run,
    }));
}

/** A planned step as a new build's record keeps it. */
export function notBegun(step: PlannedStep): BuildStep {
  return { ...step, attempt: 0, startedAt: null, finishedAt: null, warnings: [] };
}
