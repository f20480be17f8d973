import type { RouteContext } from '../../../http/define-route.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

const CODE_SECONDS = 60;

/** Makes an authorization code that is good for a minute, once, and for this client, URI and verifier alone. */
export async function issueCode(
  deps: IdentityDeps,
  context: RouteContext,
  request: AuthorizationRequest,
  { session, user }: LoggedIn,
): Promise<string> {
  const code = deps.tokens.create('flac_');
  await deps.codes.insert({
    codeHash: deps.tokens.hash(code),
    clientId: request.client.clientId,
    redirectUri: request.redirectUri,
    userId: user.id,
    sessionId: session.id,
    scopes: request.scopes,
    audience: request.audience,
    nonce: request.nonce,
    codeChallenge: request.codeChallenge,
    methods: session.methods,
    authenticatedAt: session.authenticatedAt,
    expiresAt: new Date(deps.now().getTime() + CODE_SECONDS * 1000),
    redeemedFor: null,
  });
  await audit(deps, context, {
    type: 'oauth.authorized',
    actor: user.id,
    subject: request.client.clientId,
    orgSlug: request.client.orgSlug,
    data: { scopes: request.scopes },
  });
  return code;
}
