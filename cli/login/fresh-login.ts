import * as oidc from 'openid-client';
import type { Clock } from '../../domain/clock.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CredentialsFile, StoredLogin } from './credentials-file.ts';
import { isFresh, loginEnded, notLoggedIn } from './login-state.ts';
import { refreshedLogin } from './obtained-tokens.ts';
import { connectProvider } from './provider.ts';

/**
 * The login of an API with an access token that is good for a while and is not the `refused` one. Of several processes
 * one refreshes, the others take what it got.
 * @throws CliFailure `auth` when the login has ended; `unreachable` when the provider does not answer
 */
export function freshLogin(
  api: string,
  file: CredentialsFile,
  now: Clock,
  refused: string | null = null,
): Promise<StoredLogin> {
  return file.update(api, async (login) => {
    if (login === null) throw notLoggedIn(api);
    if (login.accessToken !== refused && isFresh(login, now)) return login;
    const usable = login.accessToken !== refused && Date.parse(login.expiresAt) > now().getTime();
    return refresh(api, login, now).catch((error: unknown) => {
      // In its last minute a token is used on rather than given up.
      if (usable && !(error instanceof CliFailure && error.code === 'LOGIN_ENDED')) return login;
      throw error;
    });
  });
}

async function refresh(api: string, login: StoredLogin, now: Clock): Promise<StoredLogin> {
  if (login.refreshToken === null) throw loginEnded(api);
  try {
    const config = await connectProvider(login.issuer);
    return refreshedLogin(login, await oidc.refreshTokenGrant(config, login.refreshToken), now());
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') throw loginEnded(api);
    throw providerAway(login.issuer, error);
  }
}

function providerAway(issuer: string, cause: unknown): CliFailure {
  if (cause instanceof CliFailure) return cause;
  return new CliFailure('UNREACHABLE', `The identity provider at ${issuer} does not renew your login now.`, {
    exit: 'unreachable',
    cause,
    remedy: 'Try again; if that goes on, run `fairlead login`.',
  });
}
