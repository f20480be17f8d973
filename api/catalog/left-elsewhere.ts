import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { hasSeo } from '../../domain/deploys/site-registry.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';

/**
 * What systems go on knowing of a service that is removed, because the contract has no call that takes it back (spec 3,
 * "Endpoints"): one sentence each, with what to do. Read before the removal, which forgets who was told.
 */
export async function leftElsewhere(
  { releases, builds }: { readonly releases: ReleaseStore; readonly builds: Pick<BuildStore, 'find'> },
  { name }: Pick<ServiceRecord, 'name'>,
): Promise<readonly string[]> {
  const sites: string[] = [];
  for (const environment of ENVIRONMENTS) {
    const release = await releases.active(name, environment);
    const build = release === null ? null : await builds.find(release.buildId);
    if (hasSeo(build?.facts.catalog ?? null)) sites.push(environment);
  }
  if (sites.length === 0) return [];
  return [`The site registry keeps what it was told of ${name} in ${sites.join(', ')}: remove it there.`];
}
