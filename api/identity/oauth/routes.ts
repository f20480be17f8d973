import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';

/** Token, introspection, revocation and discovery endpoints. */
export function oauthRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
