import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { deviceRoutes } from './device-routes.ts';
import { introspectionRoutes } from './introspection-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { revocationFeedRoutes } from './revocation-feed-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userinfoRoutes } from './userinfo-routes.ts';

/** Token, introspection, revocation and discovery endpoints. */
export function oauthRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    ...tokenRoutes(deps),
    ...metadataRoutes(deps),
    ...revocationFeedRoutes(deps),
    ...introspectionRoutes(deps),
    ...userinfoRoutes(deps),
    ...deviceRoutes(deps),
  ];
}
