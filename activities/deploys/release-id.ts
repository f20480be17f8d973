import type { BuildRequest } from '../../domain/deploys/build.ts';
import { ID_PREFIXES } from '../../domain/ids.ts';

/** Id of the release that a build installs: an earlier one for a rollback, else its own. */
export function releaseIdOf({ buildId, releaseId }: Pick<BuildRequest, 'buildId' | 'releaseId'>): string {
  return releaseId ?? buildId.replace(ID_PREFIXES.build, ID_PREFIXES.release);
}
