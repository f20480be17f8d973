import { FairleadError } from '../../../../domain/errors.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { isPlatformPages } from '../../../../domain/oauth-clients/platform-client.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { formTargetOf } from '../../../http/pages/page-headers.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { brandOf } from '../brand.ts';
import { hidden } from '../form-fields.ts';
import { withReturnTo } from '../return-to.ts';
import { requireOwnFormOfUser } from '../visit.ts';
import { readParameters } from './authorization-parameters.ts';
import { type AuthorizationRequest, readAuthorizationRequest, readReplyTarget } from './authorization-request.ts';
import { issueCode } from './issue-code.ts';
import { isNativeApp } from './match-redirect-uri.ts';
import { answering, replyWithCode, replyWithError } from './reply-to-client.ts';
import { scopeName } from './scope-names.ts';

/**
 * False for trusted clients and for what was agreed to before; `prompt=consent` asks in any case, and so does a native
 * app, also a trusted one: what is known of the real one says nothing about the program that asks today (RFC 8252, 8.6).
 */
export async function needsConsent(
  deps: Pick<IdentityDeps, 'consents'>,
  { client, prompt, scopes, redirectUri }: AuthorizationRequest,
  user: UserRecord,
): Promise<boolean> {
  if (prompt.includes('consent')) return true;
  if (isPlatformPages(client)) return false;
  if (isNativeApp(client, redirectUri)) return true;
  if (client.trustedClient || client.autoApproveScopes) return false;
  const agreed = await deps.consents.find(user.id, client.clientId);
  return scopes.some((scope) => !agreed.includes(scope));
}

/** Asks. The form carries the request itself, which is read anew when it comes back: what was shown is what is granted. */
export async function consentPage(
  deps: IdentityDeps,
  request: AuthorizationRequest,
  { user, csrf, query }: LoggedIn & { readonly csrf: string; readonly query: string },
): Promise<Reply> {
  const { client, scopes, redirectUri } = request;
  return sendPage({
    title: `${client.name} asks for access`,
    brand: await brandOf(deps, client.clientId),
    formTargets: [formTargetOf(redirectUri)],
    body: html`<p>You are signed in as <strong>${user.email}</strong>. If you agree, <strong>${client.name}</strong> may:</p>
<ul class="scopes">${scopes.map((scope) => html`<li>${scopeName(scope)} <code>${scope}</code></li>`)}</ul>
<p class="quiet">You come back to <strong>${new URL(redirectUri).host}</strong>. You can take this back at any time on
<a href="/account">your account page</a>.</p>
<form method="post" action="/oauth/authorize/decision">
${hidden('csrf', csrf)}${hidden('request', query)}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="second">Do not allow</button>
</form>
<p class="links"><a href="${withReturnTo('/login?reauth=1', `/oauth/authorize?${query}`)}">Not you? Use another account</a></p>`,
  });
}

/** POST /oauth/authorize/decision. @throws CSRF_REFUSED, UNAUTHORIZED, and what `readReplyTarget` throws */
export async function decide(
  deps: IdentityDeps,
  context: RouteContext,
  form: { readonly csrf: string; readonly request: string; readonly decision: 'allow' | 'deny' },
): Promise<Reply> {
  const loggedIn = await requireOwnFormOfUser(deps, context, form.csrf);
  const parameters = readParameters(form.request);
  const target = await readReplyTarget(deps, parameters);
  return answering(deps, target, async () => {
    const request = await readAuthorizationRequest(deps, target, parameters);
    if (form.decision === 'deny') {
      return replyWithError(deps, target, new FairleadError('OAUTH_ACCESS_DENIED', 'The person did not agree'));
    }
    const { user } = loggedIn;
    const { clientId, orgSlug } = request.client;
    await audit(deps, context, {
      type: 'oauth.consent_given',
      actor: user.id,
      subject: clientId,
      orgSlug,
      data: { scopes: request.scopes },
    });
    await deps.consents.add(user.id, clientId, request.scopes, deps.now());
    return replyWithCode(deps, target, await issueCode(deps, context, request, loggedIn));
  });
}
