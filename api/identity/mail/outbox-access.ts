import type { RouteContext } from '../../http/define-route.ts';

/**
 * Who may read captured mail. Its links sign in as anybody, so it is as powerful as every account together: a super
 * admin in their own browser's session may, and no token or key. Where a request comes from says nothing: other users and
 * programs of this machine come from its loopback, too.
 */
export function mayReadOutbox({ caller }: Pick<RouteContext, 'caller'>): boolean {
  return caller?.kind === 'platform-admin' && caller.via === 'session';
}
