import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { isPublicSite } from '../../../domain/deploys/site-registry.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireSiteRegistry, sitePlace } from '../public-site.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Pick<DeploysDeps, 'siteRegistry' | 'services' | 'customDomains'>;

/**
 * Tells the site registry which domains a release is about to serve in prod. Idempotent: it keeps one Property a domain.
 * @throws UNAVAILABLE of the system `site-registry`, and what it refuses
 */
export async function upsertSiteProperty(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const registry = requireSiteRegistry(deps);
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const site = await sitePlace(deps, context, await findService(deps, context.build));
  if (!isPublicSite(site)) {
    context.onLine('Only a deploy to prod with a public domain has a Property');
    return {};
  }
  const { entity = null, topic = null } = catalog.seo ?? {};
  await registry.upsertProperty({ ...site, entity, topic }, context.signal);
  context.onLine(`The site registry knows ${site.domains.join(', ')}`);
  return {};
}
