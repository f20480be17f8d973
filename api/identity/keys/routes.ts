import type { Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';

/** Signing keys and their rotation. */
export function keyRoutes(_deps: IdentityDeps): readonly Route[] {
  return [];
}
