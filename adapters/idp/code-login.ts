import * as oidc from 'openid-client';
import { FairleadError } from '../../domain/errors.ts';
import type { CodeLogin, LoginRenewal, LoginTokens } from '../../domain/identity/code-login.ts';

const REQUEST_LIMIT_MS = 10_000;

/**
 * Logs people in by the identity provider for a public client: authorization code with PKCE S256, `state`, `nonce`, and
 * `iss` of the answer checked (RFC 9700, 2.1). The provider is looked up when it is first needed.
 */
export function createCodeLogin(options: {
  issuer: string;
  clientId: string;
  redirectUri: string;
}): CodeLogin & LoginRenewal {
  const { clientId, redirectUri } = options;
  const issuer = new URL(options.issuer);
  let found: oidc.Configuration | null = null;

  async function provider(): Promise<oidc.Configuration> {
    found ??= await oidc
      .discovery(issuer, clientId, undefined, oidc.None(), {
        timeout: REQUEST_LIMIT_MS / 1000,
        // An installation without TLS: the address was its operator's to choose.
        execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
      })
      .catch((cause: unknown) => {
        throw away(cause);
      });
    return found;
  }
  return {
    async begin() {
      const config = await provider();
      const attempt = {
        verifier: oidc.randomPKCECodeVerifier(),
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
      };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { url: url.href, attempt };
    },
    async finish(query, { verifier, state, nonce }) {
      const config = await provider();
      try {
        const reply = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        return tokensOf(reply);
      } catch (cause) {
        throw new FairleadError('UNAUTHORIZED', 'The login failed: start again', { cause });
      }
    },
    async refresh(refreshToken) {
      const config = await provider();
      try {
        return tokensOf(await oidc.refreshTokenGrant(config, refreshToken));
      } catch (cause) {
        // Whatever else goes wrong passes: who is signed out for it would have to sign in for nothing.
        if (!(cause instanceof oidc.ResponseBodyError) || cause.error !== 'invalid_grant') throw away(cause);
        throw new FairleadError('UNAUTHORIZED', 'Your session has ended: sign in again', { cause });
      }
    },
    async revoke(refreshToken) {
      const config = await provider();
      await oidc.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' }).catch((cause: unknown) => {
        throw away(cause);
      });
    },
  };
}

function tokensOf(reply: oidc.TokenEndpointResponse): LoginTokens {
  return {
    accessToken: reply.access_token,
    expiresInSeconds: reply.expires_in ?? 0,
    refreshToken: reply.refresh_token ?? null,
  };
}

function away(cause: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', 'The identity provider does not answer', { cause, retryable: true });
}
