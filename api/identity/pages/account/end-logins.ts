import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { revokeGrant, revokeSession } from '../../revocation/revoke.ts';
import { withAccountForm } from './require-account.ts';

/** POST /account/sessions/end. What is not one's own is as good as gone. @throws CSRF_REFUSED, UNAUTHORIZED */
export function endSession(
  deps: IdentityDeps,
  context: RouteContext,
  form: { csrf: string; id: string },
): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async ({ user }) => {
    const session = await deps.sessions.find(form.id);
    if (session?.userId === user.id) await revokeSession(deps, context, session.id, { actor: user.id });
    return redirectTo('/account?notice=ended');
  });
}

/** POST /account/sessions/end-others. @throws CSRF_REFUSED, UNAUTHORIZED */
export function endOtherSessions(deps: IdentityDeps, context: RouteContext, form: { csrf: string }): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async ({ user, session }) => {
    const sessions = await deps.sessions.listOfUser(user.id, deps.now());
    for (const { id } of sessions) if (id !== session.id) await revokeSession(deps, context, id, { actor: user.id });
    return redirectTo('/account?notice=others');
  });
}

/** POST /account/grants/end: ends the login and takes back what was agreed to. @throws CSRF_REFUSED, UNAUTHORIZED */
export function endGrant(
  deps: IdentityDeps,
  context: RouteContext,
  form: { csrf: string; id: string },
): Promise<Reply> {
  return withAccountForm(deps, context, form.csrf, async ({ user }) => {
    const grant = await deps.grants.find(form.id);
    if (grant?.userId === user.id) {
      await deps.consents.remove(user.id, grant.clientId);
      await revokeGrant(deps, context, grant.id, { actor: user.id });
    }
    return redirectTo('/account?notice=ended');
  });
}
