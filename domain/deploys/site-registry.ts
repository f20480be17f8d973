import type { Catalog } from '../catalog/catalog.ts';
import type { Environment } from '../environment.ts';

/** A service in one environment, with the domains at which it is public besides the platform's own. */
export interface SitePlace {
  readonly service: string;
  readonly env: Environment;
  readonly domains: readonly string[];
}

/**
 * The site registry as the builder uses it (spec 3, "Endpoints", "Site registry"). Every call is idempotent: it says what
 * is, and a request whose answer was lost is made again.
 *
 * @throws UNAVAILABLE (retryable, of the system `site-registry`) when it is away or gives the builder no access by a
 *   token; its own refusal, such as FORBIDDEN
 */
export interface SiteRegistry {
  /** Before the install: the Properties of a service that is about to serve its domains. */
  upsertProperty(
    site: SitePlace & { readonly entity: string | null; readonly topic: string | null },
    signal?: AbortSignal,
  ): Promise<void>;
  /** A release that serves its domains in prod. `version`: its commit, or what stands for one. */
  deployed(site: SitePlace & { readonly version: string }, signal?: AbortSignal): Promise<void>;
  /** A service that has no public domain, or is not deployed to prod. */
  register(site: SitePlace, signal?: AbortSignal): Promise<void>;
}

/** The domains of their own that services have. */
export interface CustomDomains {
  /** Those that lead to the service in that environment, as verified; without the platform's own. */
  verified(place: CustomDomainsOf): Promise<readonly string[]>;
  /** Takes all away from a service that is removed. Idempotent. @throws UNAVAILABLE (retryable) while one is there */
  release(serviceId: string): Promise<void>;
}

export interface CustomDomainsOf {
  readonly serviceId: string;
  readonly environment: Environment;
}

/** True for a deploy that the site registry takes for one of a public site. */
export function isPublicSite({ env, domains }: Pick<SitePlace, 'env' | 'domains'>): boolean {
  return env === 'prod' && domains.length > 0;
}

/** True for a catalog whose site search engines are to know. */
export function hasSeo(catalog: Pick<Catalog, 'seo'> | null): boolean {
  // Absent in what a worker of an earlier version handed on.
  return catalog?.seo?.enabled ?? false;
}
