import { isCancellation, log, patched, rootCause } from '@temporalio/workflow';
import type { BuildFailure, BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import { roundOfRun } from '../../domain/deploys/build-slots.ts';
import type { Decision, DecisionInput, PausedBuild, ResumedBuild } from '../../domain/deploys/build-wait.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import type { StepWait } from '../../domain/deploys/step-run.ts';
import { decisionActivity, pauseBuild } from './activity-proxies.ts';
import { describeFailure } from './failure.ts';

/** What a build has when a step of it fails. */
interface Failed {
  readonly request: BuildRequest;
  readonly facts: BuildFacts;
  readonly step: PlannedStep;
  /** What follows the step. */
  readonly rest: readonly PlannedStep[];
  readonly failure: BuildFailure;
  /** Until when those who attached to the build wait, in milliseconds; 0 when none does. */
  readonly attachedUntil: () => number;
  /** Of an earlier wait of the build: its time goes on. */
  readonly earlier: ResumedBuild | null;
}

/**
 * Gives the slot of a build back whose step failed for want of a decision, where the build may wait for it.
 *
 * @returns what goes on once it is decided, or the failure that ends the build
 */
export async function pauseAfter(failed: Failed): Promise<PausedBuild | BuildFailure> {
  const { request, facts, step, rest, failure, attachedUntil, earlier } = failed;
  const { waitForGrantsSeconds = 0 } = request;
  const wait = step.run?.wait;
  const isWaiting = waitForGrantsSeconds > 0 || attachedUntil() > 0;
  if (wait === undefined || wait.code !== failure.code || !isWaiting) return failure;
  if (!patched('wait-for-grants')) return failure;
  const begun = Date.now();
  const since = earlier?.since ?? new Date(begun).toISOString();
  const ownUntil = earlier === null ? begun + waitForGrantsSeconds * 1000 : Date.parse(earlier.until);
  // Others may attach while the records are read.
  const until = () => new Date(Math.max(ownUntil, attachedUntil())).toISOString();
  const decision = await readDecision({ request, facts, since, until: until(), step }, wait);
  if (decision?.state === 'refused') return decision.failure;
  const round = roundOfRun(earlier);
  const { attempts, again } = await pauseBuild({ buildId: request.buildId, step: step.key, round });
  return {
    // Where only one who attached waits, its next run waits as well, for the time that is set here.
    request: waitForGrantsSeconds > 0 ? request : { ...request, waitForGrantsSeconds: 1 },
    plan: [step, ...rest],
    ...(again === undefined || again.length === 0 ? {} : { again }),
    ...{ facts, attempts, since, until: until(), waits: round + 1 },
    failure: decision?.state === 'open' ? decision.failure : failure,
  };
}

/** What no later reading finds otherwise: the service is gone, or what it asks for is refused whatever is decided. */
const FOR_GOOD: readonly string[] = ['SERVICE_NOT_FOUND', 'CATALOG_INVALID'];

/** Null when it cannot be read now: whoever waits reads it again. */
export async function readDecision(
  input: Omit<DecisionInput, 'step'> & { readonly step: PlannedStep },
  wait: StepWait,
): Promise<Decision | null> {
  const { key, title, stage } = input.step;
  try {
    return await decisionActivity(input.step, wait)({ ...input, step: { key, title, stage } });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = describeFailure(error, input.step);
    if (FOR_GOOD.includes(failure.code) && patched('refused-for-good')) return { state: 'refused', failure };
    // Nobody can see the build, or cancel it, any more.
    if (failure.code === 'BUILD_NOT_FOUND' && patched('record-is-gone')) return { state: 'refused', failure };
    log.warn(`${title}: the decision could not be read: ${rootCause(error) ?? 'no reason is known'}`);
    return null;
  }
}

export function isPaused(outcome: PausedBuild | BuildFailure): outcome is PausedBuild {
  return 'plan' in outcome;
}
