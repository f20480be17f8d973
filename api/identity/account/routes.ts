import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';

/** People and their sessions. */
export function accountRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
