import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { hasSeo, isPublicSite } from '../../../domain/deploys/site-registry.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireSiteRegistry, sitePlace } from '../public-site.ts';
import { factsOfRelease, requireRelease } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'siteRegistry' | 'services' | 'releases' | 'builds' | 'customDomains'>;

/**
 * Tells the site registry what serves now: the deploy hook for a release on public domains in prod, else the registration
 * of the service (spec 3, "Site registry"). Of a rollback, the catalog of its release counts. Idempotent: both say a state.
 * @throws UNAVAILABLE of the system `site-registry`, and what it refuses
 */
export async function tellSiteRegistry(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, signal, onLine } = context;
  const registry = requireSiteRegistry(deps);
  const [service, release] = await Promise.all([findService(deps, build), requireRelease(deps, context)]);
  const catalog = (await factsOfRelease(deps, context, release))?.catalog ?? null;
  if (!hasSeo(catalog)) {
    onLine('The catalog of the release does not enable spec.seo');
    return {};
  }
  const site = await sitePlace(deps, context, service);
  if (isPublicSite(site)) {
    // An upload has no commit; the release says as well what serves.
    await registry.deployed({ ...site, version: release.commitSha ?? release.id }, signal);
    onLine(`The site registry was told of the deploy to ${site.domains.join(', ')}`);
    return {};
  }
  await registry.register(site, signal);
  onLine('Registered without a public deploy: only prod with a public domain has one');
  return {};
}
