import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { meRoutes } from './me-routes.ts';
import { userRoutes } from './user-routes.ts';

/** People and their sessions. */
export function accountRoutes(deps: IdentityDeps): readonly Route[] {
  return [...meRoutes(deps), ...userRoutes(deps)];
}
