import * as oidc from 'openid-client';
import { CliFailure } from '../cli-failure.ts';
import type { StoredLogin } from './credentials-file.ts';

type Reply = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** Taken for granted where the provider does not say how long its token is good. */
const SHORT_LIFE_SECONDS = 300;

/** The login of a first token reply, whose ID token says who it is. */
export function loginOf(config: oidc.Configuration, reply: Reply, now: Date): StoredLogin {
  const claims = reply.claims();
  if (claims === undefined) {
    throw new CliFailure('LOGIN_FAILED', 'The identity provider did not say who logged in.', { exit: 'auth' });
  }
  return {
    issuer: config.serverMetadata().issuer,
    ...tokensOf(reply, now),
    refreshToken: reply.refresh_token ?? null,
    identityId: claims.sub,
    email: typeof claims.email === 'string' ? claims.email : null,
    loggedInAt: now.toISOString(),
  };
}

/** The same login after a refresh; the old refresh token stays where no new one came. */
export function refreshedLogin(login: StoredLogin, reply: Reply, now: Date): StoredLogin {
  return { ...login, ...tokensOf(reply, now), refreshToken: reply.refresh_token ?? login.refreshToken };
}

function tokensOf(reply: Reply, now: Date): Pick<StoredLogin, 'accessToken' | 'expiresAt'> {
  const seconds = reply.expires_in ?? SHORT_LIFE_SECONDS;
  return { accessToken: reply.access_token, expiresAt: new Date(now.getTime() + seconds * 1000).toISOString() };
}

const DENIALS: Readonly<Record<string, string>> = {
  access_denied: 'The login was denied in the browser.',
  expired_token: 'The code was not entered in time.',
  login_required: 'The identity provider requires a new login.',
};

/** What the provider, or the library that checked its answers, said against a login. */
export function loginFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  const refused = error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError;
  const remedy = 'Try again: `fairlead login`';
  if (!refused) {
    const message = error instanceof Error ? error.message : String(error);
    return new CliFailure('LOGIN_FAILED', `The login failed: ${message}`, {
      exit: 'auth',
      cause: error,
      remedy,
    });
  }
  const said =
    DENIALS[error.error] ?? `The identity provider refused the login: ${error.error_description ?? error.error}`;
  return new CliFailure('LOGIN_REFUSED', said, { exit: 'auth', details: { error: error.error }, cause: error, remedy });
}
