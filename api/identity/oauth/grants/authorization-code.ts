import type { AuthorizationCode } from '../../../../domain/identity/login.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../../deps.ts';
import { revokeGrant } from '../../revocation/revoke.ts';
import { issueTokens } from '../../tokens/issue-tokens.ts';
import { narrowAudience, requestedAudience } from '../resolve-audience.ts';
import { type GrantHandler, invalidGrant, requireParameter, type TokenRequest } from '../token-request.ts';

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Redeems an authorization code (RFC 6749, 4.1.3) with its PKCE verifier (RFC 7636, 4.6). A code that comes a second time
 * was stolen, or the first time was: its login ends (RFC 6749, 4.1.2). One that comes with something wrong is not used
 * up, so that who has the code alone cannot take it from its client.
 */
export const authorizationCode: GrantHandler = async (deps, request) => {
  const { client, issuedAt, parameters, context } = request;
  const codeHash = deps.tokens.hash(requireParameter(parameters.code, 'code'));
  const code = await deps.codes.find(codeHash);
  checkCode(deps, request, code);
  if (code.redeemedFor !== null) return refuseReuse(deps, request, code.redeemedFor);
  const audience = audienceOf(code, parameters);
  const session = await deps.sessions.find(code.sessionId);
  if (session !== null && session.revokedAt !== null) throw invalidGrant('The login was ended before the code came');
  const grantId = deps.newId('grant');
  if (!(await deps.codes.redeem(codeHash, grantId, deps.now()))) {
    const taken = await deps.codes.find(codeHash);
    if (taken?.redeemedFor != null) return refuseReuse(deps, request, taken.redeemedFor);
    throw codeInvalid();
  }
  const { userId, sessionId, scopes, methods, authenticatedAt, nonce } = code;
  return issueTokens(deps, {
    user: { id: userId, passwordVersion: null },
    client,
    issuedAt,
    origin: 'oauth',
    sessionId,
    scopes: scopes.filter((scope) => client.allowedScopes.includes(scope)),
    audience,
    methods,
    authenticatedAt,
    nonce,
    address: context.address,
    userAgent: context.userAgent,
    grantId,
    requestId: context.requestId,
  });
};

/** One message for whatever is wrong with the code itself: who found one learns nothing by trying. */
function checkCode(
  deps: IdentityDeps,
  { client, parameters }: TokenRequest,
  code: AuthorizationCode | null,
): asserts code is AuthorizationCode {
  if (code === null || code.clientId !== client.clientId) throw codeInvalid();
  // A code that was redeemed is judged as a replay for as long as it is remembered.
  if (code.redeemedFor === null && code.expiresAt <= deps.now()) throw codeInvalid();
  if (parameters.redirect_uri !== code.redirectUri) {
    throw invalidGrant('redirect_uri does not match the one in the authorization request');
  }
  const verifier = requireParameter(parameters.code_verifier, 'code_verifier');
  if (!VERIFIER.test(verifier) || !deps.tokens.equals(s256(deps, verifier), code.codeChallenge)) {
    throw invalidGrant('code_verifier does not match the code_challenge');
  }
}

function s256(deps: IdentityDeps, verifier: string): string {
  return Buffer.from(deps.tokens.hash(verifier), 'hex').toString('base64url');
}

/** Tokens may be asked for some of the audience the code is for (RFC 8707, 2.2). */
function audienceOf(code: AuthorizationCode, parameters: TokenRequest['parameters']): readonly string[] {
  const requested = requestedAudience(parameters);
  return requested.length === 0 ? code.audience : narrowAudience(code.audience, requested);
}

async function refuseReuse(
  deps: IdentityDeps,
  { client, context }: { client: ClientRecord; context: TokenRequest['context'] },
  grantId: string,
): Promise<never> {
  await revokeGrant(deps, context, grantId, { actor: client.clientId, reason: 'authorization code used twice' });
  throw codeInvalid();
}

function codeInvalid() {
  return invalidGrant('The code was already used, has expired, or never existed');
}
