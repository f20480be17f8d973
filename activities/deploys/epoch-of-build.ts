import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { DeploysDeps } from './deps.ts';

/**
 * The epoch in which a build acts on its service and environment; taken when it first does. Idempotent: every attempt
 * gets the same one. @throws CONFLICT when the build has ended before it acted
 */
export async function epochOfBuild(
  { builds, epochs }: Pick<DeploysDeps, 'builds' | 'epochs'>,
  build: BuildRequest,
): Promise<number> {
  const record = await builds.find(build.buildId);
  return record?.epoch ?? (await builds.giveEpoch(build.buildId, await epochs.next(build)));
}
