import type { Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';

/** OAuth clients at the identity provider. */
export function clientRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
