import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { isReinstall } from '../../../domain/deploys/build-kind.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { releaseIdOf } from '../release-id.ts';
import { requireFacts, type StepContext } from '../step.ts';
import { catalogOfActive, PEOPLE, setSignInRule, signInRuleOf } from '../user-access.ts';

type Deps = Pick<DeploysDeps, 'clients' | 'services' | 'releases' | 'builds' | 'epochs'>;

/**
 * Keeps out of the service whom its catalog keeps out, before the workload starts that relies on it. It lets nobody in:
 * the release that serves may have been written for fewer. Idempotent.
 * @throws UNAVAILABLE of `identity-provider`; CLIENT_NOT_FOUND, CLIENT_EXISTS
 */
export async function provisionUserAccess(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const catalog = await catalogToServe(deps, context);
  const rule = catalog === null ? null : signInRuleOf(catalog);
  if (rule === 'members') await keepOut(deps, context);
  if (rule !== null)
    context.onLine(`Sign-in is for ${PEOPLE[rule]}${rule === 'members' ? '' : ' once the release serves'}`);
  return {};
}

/** Of a rollback, the catalog of its release; null when that is not known any more, and then the rule stays as it is. */
async function catalogToServe(
  { releases, builds }: Deps,
  { build, facts }: Pick<StepContext, 'build' | 'facts'>,
): Promise<Catalog | null> {
  if (!isReinstall(build.kind)) return requireFacts(facts, ['catalog']).catalog;
  const release = await releases.find(releaseIdOf(build));
  return release === null ? null : ((await builds.find(release.buildId))?.facts.catalog ?? null);
}

/**
 * A rollback from a release that was for members, too, changes nothing, and does not wait for a provider that is away: it
 * may be what ends an outage.
 */
async function keepOut(deps: Deps, context: StepContext): Promise<void> {
  try {
    await setSignInRule(deps, context, 'members');
  } catch (error) {
    if (!isReinstall(context.build.kind) || !(error instanceof FairleadError)) throw error;
    // No client, nobody who signs in: `role-metadata` warns of it.
    if (error.code === 'CLIENT_NOT_FOUND') return;
    const serving = error.code === 'UNAVAILABLE' ? await catalogOfActive(deps, context.build) : null;
    if (serving === null || signInRuleOf(serving) !== 'members') throw error;
    context.warn(`${error.message} Sign-in stays for ${PEOPLE.members}, as it is now.`);
  }
}
