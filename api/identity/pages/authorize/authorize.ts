import { FairleadError } from '../../../../domain/errors.ts';
import type { OrgRecord } from '../../../../domain/orgs/org.ts';
import type { Reply, RouteContext } from '../../../http/define-route.ts';
import { redirectTo } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { requireSignIn } from '../../tokens/require-sign-in.ts';
import { readIdTokenHint } from '../id-token-hint.ts';
import { MAX_RETURN_TO, withReturnTo } from '../return-to.ts';
import { openVisit } from '../visit.ts';
import { invalidRequest, type Parameters, readParameters } from './authorization-parameters.ts';
import { type AuthorizationRequest, readAuthorizationRequest, readReplyTarget } from './authorization-request.ts';
import { consentPage, needsConsent } from './consent.ts';
import { issueCode } from './issue-code.ts';
import { addFactorPage, policyRemedy } from './org-policy.ts';
import { answering, replyWithCode } from './reply-to-client.ts';

/** With its login page around it, the request still has to fit into the header of one. */
export const MAX_QUERY = 4_000;

/**
 * GET /oauth/authorize. In this order: who asks and where the answer may go; whether the request is in order; who is
 * there; whether they agree. From the second on, errors go to the client.
 */
export async function authorize(deps: IdentityDeps, context: RouteContext, query: string): Promise<Reply> {
  const parameters = readParameters(query);
  const target = await readReplyTarget(deps, parameters);
  return answering(deps, target, async () => {
    if (query.length > MAX_QUERY) throw invalidRequest('The request is too long');
    const request = await readAuthorizationRequest(deps, target, parameters);
    const { loggedIn, csrf } = await openVisit(deps, context);
    const remedy = loggedIn === null ? 'login' : await policyRemedy(deps, request.client, loggedIn);
    if (loggedIn === null || remedy === 'login' || (await mustLogInAgain(deps, request, loggedIn))) {
      if (request.prompt.includes('none')) throw new FairleadError('OAUTH_LOGIN_REQUIRED', 'Nobody is signed in');
      return redirectTo(loginPath(parameters, request, loggedIn));
    }
    if (remedy !== null) return askForFactor(deps, request, remedy.addFactorFor);
    const { session, user } = loggedIn;
    await requireSignIn(deps, request.client, { userId: user.id, login: session, code: 'OAUTH_ACCESS_DENIED' });
    if (await needsConsent(deps, request, loggedIn.user)) {
      if (request.prompt.includes('none'))
        throw new FairleadError('OAUTH_CONSENT_REQUIRED', 'Consent was not given yet');
      return consentPage(deps, request, { ...loggedIn, csrf, query });
    }
    return replyWithCode(deps, target, await issueCode(deps, context, request, loggedIn));
  });
}

function askForFactor(deps: IdentityDeps, { prompt }: AuthorizationRequest, org: OrgRecord): Reply {
  if (prompt.includes('none')) throw new FairleadError('OAUTH_LOGIN_REQUIRED', `${org.slug} asks for a second factor`);
  return addFactorPage(deps, org);
}

async function mustLogInAgain(
  deps: IdentityDeps,
  { prompt, maxAgeSeconds, idTokenHint }: AuthorizationRequest,
  { session, user }: LoggedIn,
): Promise<boolean> {
  if (prompt.some((one) => one === 'login' || one === 'select_account')) return true;
  const ageMs = deps.now().getTime() - session.authenticatedAt.getTime();
  if (maxAgeSeconds !== null && ageMs >= maxAgeSeconds * 1000) return true;
  return idTokenHint !== null && (await readIdTokenHint(deps, idTokenHint))?.userId !== user.id;
}

/** Parameters that ask for a login: they must not ask again once it was done. */
const ASKS_FOR_LOGIN: readonly string[] = ['prompt', 'max_age', 'id_token_hint'];

/**
 * The login page, which comes back with the same request. What asked for a login is taken out, or it would be asked for
 * forever, and a short `max_age` by whoever is slow; a client that has to be sure compares `auth_time` (OpenID Connect Core, 3.1.2.1).
 */
function loginPath(parameters: Parameters, request: AuthorizationRequest, loggedIn: LoggedIn | null): string {
  const query = new URLSearchParams();
  for (const [name, values] of parameters) {
    if (!ASKS_FOR_LOGIN.includes(name)) for (const value of values) query.append(name, value);
  }
  const prompt = request.prompt.filter((one) => one !== 'login' && one !== 'select_account');
  if (prompt.length > 0) query.set('prompt', prompt.join(' '));
  if (request.maxAgeSeconds !== null && request.maxAgeSeconds > 60) query.set('max_age', String(request.maxAgeSeconds));
  const returnTo = `/oauth/authorize?${query.toString()}`;
  if (returnTo.length > MAX_RETURN_TO) throw invalidRequest('The request is too long');
  return withReturnTo(loggedIn === null ? '/login' : '/login?reauth=1', returnTo);
}
