import type { RepeatedStep } from '../../domain/deploys/build-wait.ts';
import { remadeAt, stepsToRepeat } from '../../domain/deploys/plan.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

export interface PauseInput {
  readonly buildId: string;
  /** Key of the step that waits. */
  readonly step: string;
  /** In which the run that pauses asked for its slot (`SlotRequested`); absent in histories from before that was told. */
  readonly round?: number;
}

export interface Pause {
  /** How many its step has had. */
  readonly attempts: number;
  /** What runs again before it, once the build goes on. Absent in histories from before that was so. */
  readonly again?: readonly RepeatedStep[];
}

/**
 * Gives back what a build that waits for a decision does not need: its build slot, and the files of its source once the
 * image is made of them. Idempotent: what is given back stays so. An attempt that was paused until the build went on takes
 * nothing from it: its slot is of another round, and nothing that runs again needs the files.
 */
export async function pauseBuild(
  { builds, workflows, workspace }: Pick<DeploysDeps, 'builds' | 'workflows' | 'workspace'>,
  { buildId, step, round }: PauseInput,
): Promise<Pause> {
  await workflows.releaseSlot(buildId, round);
  const record = await builds.find(buildId);
  if (record === null) throw new FairleadError('BUILD_NOT_FOUND', `No build has the id ${buildId}`);
  if (!remadeAt(step).includes('source')) await workspace.remove(buildId);
  const again = stepsToRepeat(record, step);
  return { attempts: record.steps.find(({ key }) => key === step)?.attempt ?? 0, again };
}
