import type { RepeatedStep } from '../../domain/deploys/build-wait.ts';
import { remadeAt, stepsToRepeat } from '../../domain/deploys/plan.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

export interface PauseInput {
  readonly buildId: string;
  /** Key of the step that waits. */
  readonly step: string;
}

export interface Pause {
  /** How many its step has had. */
  readonly attempts: number;
  /** What runs again before it, once the build goes on. Absent in histories from before that was so. */
  readonly again?: readonly RepeatedStep[];
}

/**
 * Gives back what a build that waits for a decision does not need: its build slot, and the files of its source once the
 * image is made of them. Warnings of steps that run again are taken from the build: they say what is so by then.
 * Idempotent: what is given back stays so.
 */
export async function pauseBuild(
  { builds, workflows, workspace }: Pick<DeploysDeps, 'builds' | 'workflows' | 'workspace'>,
  { buildId, step }: PauseInput,
): Promise<Pause> {
  await workflows.releaseSlot(buildId);
  const record = await builds.find(buildId);
  if (record === null) throw new FairleadError('BUILD_NOT_FOUND', `No build has the id ${buildId}`);
  if (!remadeAt(step).includes('source')) await workspace.remove(buildId);
  const again = stepsToRepeat(record, step);
  const keys = again.map((repeated) => repeated.step.key);
  const warnings = record.steps.filter(({ key }) => keys.includes(key)).flatMap((each) => each.warnings);
  await builds.removeWarnings(buildId, warnings);
  return { attempts: record.steps.find(({ key }) => key === step)?.attempt ?? 0, again };
}
