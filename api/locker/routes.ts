import { type ReencryptionPlace, reencryptionRoutes } from '../config/routes.ts';
import type { Route } from '../http/define-route.ts';
import { bindingRoutes } from './binding-routes.ts';
import { changeRoutes } from './change-routes.ts';
import type { LockerDeps } from './deps.ts';
import { itemRoutes } from './item-routes.ts';
import { LOCKER_SCOPES } from './locker-scopes.ts';
import { ownValuesRoute } from './own-values-route.ts';
import { resolveRoute } from './resolve-route.ts';

const KEYS: ReencryptionPlace = { path: '/api/reencryption', tag: 'locker', variable: 'LOCKER_ENCRYPTION_KEY' };

/** The locker's API. The one route by which a value of an org leaves is POST /api/resolve. */
export function lockerRoutes(deps: LockerDeps): readonly Route[] {
  return [
    resolveRoute(deps),
    ...LOCKER_SCOPES.flatMap((scope) => [...itemRoutes(deps, scope), ...changeRoutes(deps, scope)]),
    ...bindingRoutes(deps),
    ownValuesRoute(deps),
    ...reencryptionRoutes(deps, KEYS),
  ];
}
