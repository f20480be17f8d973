import { FairleadError } from '../../../../domain/errors.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { formTargetOf } from '../../../http/pages/page-headers.ts';
import { redirectTo, sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import { clearCookie } from '../../login/cookies.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { revokeSession } from '../../revocation/revoke.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { type IdTokenHint, readIdTokenHint } from '../id-token-hint.ts';
import { refusedAddress } from '../refused-address.ts';
import { openVisit, requireOwnForm } from '../visit.ts';

/** OpenID Connect RP-Initiated Logout, 2. */
export interface LogoutRequest {
  readonly id_token_hint: string;
  readonly client_id: string;
  readonly post_logout_redirect_uri: string;
  readonly state: string;
}

interface Understood {
  readonly hint: IdTokenHint | null;
  readonly client: ClientRecord | null;
  /** Where to go afterwards, with `state`; null for our own page. */
  readonly next: { readonly registered: string; readonly location: string } | null;
}

/**
 * GET and POST /oauth/logout as a client sends them. With an ID token of the session that is to end, it ends; without,
 * the person is asked, or any page could sign people out. @throws INVALID_REDIRECT_URI, OAUTH_INVALID_REQUEST
 */
export async function requestLogout(deps: IdentityDeps, context: RouteContext, request: LogoutRequest): Promise<Reply> {
  const understood = await understand(deps, request);
  const { loggedIn, csrf, cookies } = await openVisit(deps, context);
  const { hint } = understood;
  if (loggedIn === null) {
    // A form from another site comes without our cookie; the hint names the session all the same.
    if (hint?.sessionId != null) await revokeSession(deps, context, hint.sessionId, { actor: hint.userId });
    return signedOut(deps, understood);
  }
  if (hint?.sessionId === loggedIn.session.id) return endSession(deps, context, loggedIn, understood);
  return sendPage(
    {
      title: 'Sign out?',
      brand: await brandOf(deps, understood.client?.clientId ?? null),
      formTargets: understood.next === null ? [] : [formTargetOf(understood.next.registered)],
      body: html`<p>You are signed in as <strong>${loggedIn.user.email}</strong>. Signing out also ends the logins of
applications you used in this browser.</p>
<form method="post" action="/oauth/logout/confirm">${hidden('csrf', csrf)}
${Object.entries(request).map(([name, value]) => value !== '' && hidden(name, value))}
<button>Sign out</button></form>
<p class="links"><a href="/account">Stay signed in</a></p>`,
    },
    { cookies },
  );
}

/** POST /oauth/logout/confirm: what the person answered. @throws CSRF_REFUSED, INVALID_REDIRECT_URI */
export async function confirmLogout(
  deps: IdentityDeps,
  context: RouteContext,
  { csrf, ...request }: LogoutRequest & { readonly csrf: string },
): Promise<Reply> {
  const { loggedIn } = await requireOwnForm(deps, context, csrf);
  const understood = await understand(deps, request);
  return loggedIn === null ? signedOut(deps, understood) : endSession(deps, context, loggedIn, understood);
}

async function endSession(
  deps: IdentityDeps,
  context: RouteContext,
  { session, user }: LoggedIn,
  understood: Understood,
): Promise<Reply> {
  await revokeSession(deps, context, session.id, { actor: user.id });
  return signedOut(deps, understood);
}

async function signedOut(deps: IdentityDeps, { client, next }: Understood): Promise<Reply> {
  const cookies = [clearCookie(deps.settings, 'session')];
  if (next !== null) return redirectTo(next.location, cookies);
  return sendPage(
    {
      title: 'You are signed out',
      brand: await brandOf(deps, client?.clientId ?? null),
      body: html`<p>You can close this page.</p><p class="links"><a href="/login">Sign in again</a></p>`,
    },
    { cookies },
  );
}

/** Whose log-out it is and where it may lead: only to what that client registered, as the same string. */
async function understand(deps: IdentityDeps, request: LogoutRequest): Promise<Understood> {
  const hint = request.id_token_hint === '' ? null : await readIdTokenHint(deps, request.id_token_hint);
  if (hint !== null && request.client_id !== '' && request.client_id !== hint.clientId) {
    throw new FairleadError('OAUTH_INVALID_REQUEST', 'client_id does not match the ID token');
  }
  const clientId = hint?.clientId ?? request.client_id;
  const client = clientId === '' ? null : await deps.clients.find(clientId);
  const uri = request.post_logout_redirect_uri;
  if (uri === '') return { hint, client, next: null };
  if (client === null || !client.postLogoutRedirectUris.includes(uri) || !/^https?:\/\//.test(uri)) {
    throw refusedAddress(uri, 'after sign-out');
  }
  const state =
    request.state === '' ? '' : `${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(request.state)}`;
  return { hint, client, next: { registered: uri, location: uri + state } };
}
