import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';

/** The headless API. */
export function embedRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
