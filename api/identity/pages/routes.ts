import { defineRoute, type Route } from '../../http/define-route.ts';
import { assetRoute } from '../../http/pages/assets.ts';
import { REDIRECT_RESPONSE } from '../../http/pages/page-responses.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import type { IdentityDeps } from '../deps.ts';
import { confirmRoutes } from './account/confirm-routes.ts';
import { accountPageRoutes } from './account/routes.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { linkRoutes } from './login/link-routes.ts';
import { loginRoutes } from './login/routes.ts';
import { logoutRoutes } from './logout/routes.ts';
import { HOME } from './return-to.ts';

/** Whoever types the address of the provider comes to their account. */
const homeRoute: Route = defineRoute({
  method: 'get',
  path: '/',
  summary: 'Leads to the account page',
  tag: 'pages',
  callers: 'public',
  replies: 'page',
  responses: REDIRECT_RESPONSE,
  handle: async () => redirectTo(HOME),
});

/** The pages a browser sees. */
export function pageRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    homeRoute,
    assetRoute,
    ...authorizeRoutes(deps),
    ...loginRoutes(deps),
    ...linkRoutes(deps),
    ...deviceRoutes(deps),
    ...logoutRoutes(deps),
    ...accountPageRoutes(deps),
    ...confirmRoutes(deps),
  ];
}
