import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';

/** The pages a browser sees. */
export function pageRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
