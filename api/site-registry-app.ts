import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import { changeRoutes } from './properties/change-routes.ts';
import type { PropertiesDeps } from './properties/deps.ts';
import { jobRoute, verifyJobKind } from './properties/job-route.ts';
import { propertyRoutes } from './properties/property-routes.ts';
import { verifyRoutes } from './properties/verify-routes.ts';
import { whoamiRoute } from './properties/whoami-route.ts';
import type { SearchPullsDeps } from './search-pulls/deps.ts';
import { searchPullJobKind, searchPullsRoutes } from './search-pulls/routes.ts';

export interface SiteRegistryOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
}

/** What the modules of the site registry need; each new one adds its own. */
export type SiteRegistryDeps = PropertiesDeps & SearchPullsDeps;

/** The site registry: domains and what the search engine thinks of them. `authenticate` has to be its gate. */
export function createSiteRegistryApp(deps: SiteRegistryDeps, options: SiteRegistryOptions): Express {
  return createApp({
    ...options,
    title: apiTitle('site-registry'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      whoamiRoute(),
      ...changeRoutes(deps),
      ...verifyRoutes(deps),
      ...propertyRoutes(deps),
      ...searchPullsRoutes(deps),
      jobRoute([verifyJobKind(deps), searchPullJobKind(deps)]),
    ],
  });
}
