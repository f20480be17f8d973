import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { outboxRoutes } from '../mail/outbox-routes.ts';
import { meRoutes } from './me-routes.ts';
import { userRoutes } from './user-routes.ts';

/** People and their sessions, and the mail to them where it is captured. */
export function accountRoutes(deps: IdentityDeps): readonly Route[] {
  return [...meRoutes(deps), ...userRoutes(deps), ...outboxRoutes(deps)];
}
