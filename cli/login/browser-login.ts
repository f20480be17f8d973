import * as oidc from 'openid-client';
import type { Clock } from '../../domain/clock.ts';
import { openBrowser } from '../open-browser.ts';
import type { StoredLogin } from './credentials-file.ts';
import { listenForCallback } from './loopback-callback.ts';
import { loginFailure, loginOf } from './obtained-tokens.ts';
import { LOGIN_SCOPE } from './provider.ts';

export interface LoginIo {
  /** Says something to the person, on stderr. */
  readonly tell: (line: string) => void;
  readonly now: Clock;
  /** Aborts with the failure to report, on Ctrl-C or when it takes too long. */
  readonly signal: AbortSignal;
}

/**
 * Logs in by the browser: authorization code with PKCE S256, `state`, `nonce`, and `iss` of the answer checked (RFC
 * 8252; RFC 9700, 2.1). The address is shown as well, for a browser that does not open by itself.
 *
 * @returns null when no browser could be opened
 * @throws CliFailure
 */
export async function loginByBrowser(config: oidc.Configuration, io: LoginIo): Promise<StoredLogin | null> {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const callback = await listenForCallback(state);
  try {
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: callback.redirectUri,
      scope: LOGIN_SCOPE,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    if (!(await openBrowser(url.href))) return null;
    io.tell(
      `Log in with the browser that opened. If no browser opened, go to\n\n  ${url.href}\n\nWaiting… (Ctrl-C cancels)`,
    );
    const came = await callback.wait(io.signal);
    const reply = await oidc.authorizationCodeGrant(config, came, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const login = loginOf(config, reply, io.now());
    callback.answer(true, 'You are logged in. You can close this window and go back to the terminal.');
    return login;
  } catch (error) {
    callback.answer(false, 'The login failed. The terminal shows the reason.');
    throw loginFailure(error);
  } finally {
    callback.close();
  }
}
