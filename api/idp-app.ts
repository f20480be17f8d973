import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import { accountRoutes } from './identity/account/routes.ts';
import { createIdpAuthenticate } from './identity/authenticate.ts';
import type { IdentityDeps } from './identity/deps.ts';
import { embedRoutes } from './identity/embed/routes.ts';
import { keyRoutes } from './identity/keys/routes.ts';
import { oauthRoutes } from './identity/oauth/routes.ts';
import { createErrorPage } from './identity/pages/error-page.ts';
import { pageRoutes } from './identity/pages/routes.ts';
import { providerClientRoutes } from './oauth-clients/provider-routes.ts';
import { orgRoutes } from './orgs/routes.ts';

export interface IdpOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
  /** By the internal key; tokens and sessions of the provider's own come on top. */
  readonly authenticate: AppOptions['authenticate'];
}

/** The identity provider: tokens, pages, people, orgs and clients on one port. */
export function createIdpApp(deps: IdentityDeps, options: IdpOptions): Express {
  return createApp({
    errorPage: createErrorPage(deps),
    ...options,
    authenticate: createIdpAuthenticate(deps, options.authenticate),
    title: apiTitle('idp'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      ...oauthRoutes(deps),
      ...keyRoutes(deps),
      ...pageRoutes(deps),
      ...embedRoutes(deps),
      ...accountRoutes(deps),
      ...orgRoutes(deps),
      ...providerClientRoutes(deps),
    ],
  });
}
