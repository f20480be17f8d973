import { eachItem } from '../each-item.ts';
import type { BuildStore, DeployTarget } from './build-store.ts';
import type { Release } from './release.ts';
import type { ReleaseStore } from './release-store.ts';

/** As many as are read at once: mostly the second one is it. */
const PAGE = 5;

/**
 * The release to go back to where nobody names one: the newest before the active one whose tests did not fail, as a
 * release stays and serves when they do (spec 2, "Fail-open versus hard-fail"). Null where there is none.
 */
export async function earlierRelease(
  { releases, builds }: { readonly releases: Pick<ReleaseStore, 'list'>; readonly builds: Pick<BuildStore, 'find'> },
  { service, environment }: DeployTarget,
): Promise<Release | null> {
  let isActive = true;
  for await (const release of eachItem(({ cursor }) => releases.list(service, environment, { cursor, limit: PAGE }))) {
    if (!isActive && (await builds.find(release.buildId))?.failure?.code !== 'TESTS_FAILED') return release;
    isActive = false;
  }
  return null;
}
