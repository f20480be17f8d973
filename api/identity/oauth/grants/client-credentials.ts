import { serviceClaims } from '../../../../domain/identity/build-claims.ts';
import { ASSERTION_SECONDS } from '../../../../domain/identity/token-lifetimes.ts';
import { serviceAfterRevocation } from '../../tokens/moment-after-revocation.ts';
import { secondsOf, signAccessToken, tokenFrame } from '../../tokens/sign-tokens.ts';
import { requestedAudience, resolveServiceAudience } from '../resolve-audience.ts';
import { resolveServiceScopes } from '../resolve-scopes.ts';
import type { GrantHandler } from '../token-request.ts';

/**
 * A service's own token (RFC 6749, 4.4; spec 1, A 6). There is no refresh token: the service asks again. A token for an
 * audience outside is an assertion: five minutes, and it tells nothing of scopes here (spec 1, E 1).
 */
export const clientCredentials: GrantHandler = async (deps, { parameters, ...asked }) => {
  const { client, issuedAt } = await serviceAfterRevocation(deps, asked.client, asked.issuedAt);
  const scopes = resolveServiceScopes(client, parameters.scope);
  const { audience, external } = await resolveServiceAudience(deps, client, requestedAudience(parameters), scopes);
  const frame = tokenFrame(deps, {
    audience,
    scopes: external ? [] : scopes,
    issuedAt,
    ttlSeconds: external ? Math.min(ASSERTION_SECONDS, client.accessTokenTtlSeconds) : client.accessTokenTtlSeconds,
    limit: null,
  });
  return {
    access_token: await signAccessToken(deps, serviceClaims(frame, client)),
    token_type: 'Bearer',
    expires_in: secondsOf(frame),
    scope: frame.scopes.join(' '),
  };
};
