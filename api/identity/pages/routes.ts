import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { accountPageRoutes } from './account/routes.ts';
import { assetRoute } from './assets.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { linkRoutes } from './login/link-routes.ts';
import { loginRoutes } from './login/routes.ts';
import { logoutRoutes } from './logout/routes.ts';

/** The pages a browser sees. */
export function pageRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    assetRoute,
    ...authorizeRoutes(deps),
    ...loginRoutes(deps),
    ...linkRoutes(deps),
    ...deviceRoutes(deps),
    ...logoutRoutes(deps),
    ...accountPageRoutes(deps),
  ];
}
