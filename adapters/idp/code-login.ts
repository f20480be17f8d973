import * as oidc from 'openid-client';
import { FairleadError } from '../../domain/errors.ts';
import type { CodeLogin } from '../../domain/identity/code-login.ts';

const REQUEST_LIMIT_MS = 10_000;

/**
 * Logs people in by the identity provider for a public client: authorization code with PKCE S256, `state`, `nonce`, and
 * `iss` of the answer checked (RFC 9700, 2.1). The provider is looked up when it is first needed.
 */
export function createCodeLogin(options: { issuer: string; clientId: string; redirectUri: string }): CodeLogin {
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
        throw new FairleadError('UNAVAILABLE', 'The identity provider does not answer', { cause, retryable: true });
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
        return { accessToken: reply.access_token, expiresInSeconds: reply.expires_in ?? 0 };
      } catch (cause) {
        throw new FairleadError('UNAUTHORIZED', 'The login failed: start again', { cause });
      }
    },
  };
}
