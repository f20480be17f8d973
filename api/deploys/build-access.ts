import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import { FairleadError } from '../../domain/errors.ts';
import { mayUse, visibleOrg } from '../catalog/access.ts';
import { type Caller, isPlatform } from '../http/caller.ts';

export interface BuildAccessDeps {
  readonly services: Pick<ServiceStore, 'find'>;
  readonly builds: Pick<BuildStore, 'find'>;
}

/**
 * A build, resolved through its service (spec 2, "Authentication", 2), so that the owner and all authorized orgs see
 * one history. Once the service is removed, the org that triggered the build still sees it.
 * @throws BUILD_NOT_FOUND also for one that is not the caller's to see.
 */
export async function requireBuild(deps: BuildAccessDeps, caller: Caller, id: string): Promise<BuildRecord> {
  const build = await deps.builds.find(id);
  if (build === null || !(await maySee(deps, caller, build))) {
    throw new FairleadError('BUILD_NOT_FOUND', 'Build not found');
  }
  return build;
}

async function maySee(deps: BuildAccessDeps, caller: Caller, build: BuildRecord): Promise<boolean> {
  if (isPlatform(caller)) return true;
  const service = await deps.services.find(build.serviceId);
  return mayUse(caller, service ?? { org: build.org, authorizedOrgs: [] });
}

const PAGE = 200;

/** Ids of every service whose builds the caller sees; null for all. */
export async function visibleServiceIds(services: ServiceStore, caller: Caller): Promise<string[] | null> {
  const org = visibleOrg(caller);
  if (org === null) return null;
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await services.list({ org }, { cursor, limit: PAGE });
    ids.push(...page.items.map((service) => service.id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}
