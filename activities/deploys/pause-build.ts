import type { DeploysDeps } from './deps.ts';

export interface PauseInput {
  readonly buildId: string;
  /** Key of the step that waits. */
  readonly step: string;
}

/**
 * Gives the build slot of a build that waits for a decision to others. Idempotent: a slot that is given back stays so.
 * @returns how many attempts its step has had
 */
export async function pauseBuild(
  { builds, workflows }: Pick<DeploysDeps, 'builds' | 'workflows'>,
  { buildId, step }: PauseInput,
): Promise<{ attempts: number }> {
  await workflows.releaseSlot(buildId);
  const record = await builds.find(buildId);
  return { attempts: record?.steps.find(({ key }) => key === step)?.attempt ?? 0 };
}
