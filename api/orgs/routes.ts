import type { Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';

/** Orgs, members, invites and grants. */
export function orgRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
