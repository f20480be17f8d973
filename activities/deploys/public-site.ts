import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SitePlace, SiteRegistry } from '../../domain/deploys/site-registry.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';

/** What the steps that tell the site registry share. */

/** @throws UNAVAILABLE on a worker without one, where another worker planned the build */
export function requireSiteRegistry({ siteRegistry }: Pick<DeploysDeps, 'siteRegistry'>): SiteRegistry {
  if (siteRegistry !== null) return siteRegistry;
  const message =
    'No site registry is configured on the worker: set SITE_REGISTRY_HOOKS, SITE_REGISTRY_URL and BUILDER_CLIENT_SECRET.';
  throw new FairleadError('UNAVAILABLE', message, { system: 'site-registry' });
}

export async function sitePlace(
  { customDomains }: Pick<DeploysDeps, 'customDomains'>,
  { build }: Pick<StepContext, 'build'>,
  { id, name }: ServiceRecord,
): Promise<SitePlace> {
  const { environment: env } = build;
  return { service: name, env, domains: await customDomains.verified({ serviceId: id, environment: env }) };
}
