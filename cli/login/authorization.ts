import * as oidc from 'openid-client';
import { CliFailure } from '../cli-failure.ts';
import type { Connection } from '../connection.ts';
import type { CredentialsFile, StoredLogin } from './credentials-file.ts';
import { refreshedLogin } from './obtained-tokens.ts';
import { connectProvider } from './provider.ts';

/** Renewed this long before its end, so that it is still good when it arrives. */
const EARLY_MS = 60_000;

/** The headers that make a request the caller's own, asked for anew with each request. @throws CliFailure `auth` */
export type Authorize = () => Promise<Readonly<Record<string, string>>>;

export function createAuthorization(connection: Connection, file: CredentialsFile, now: () => Date): Authorize {
  const { api, credential } = connection;
  if (credential === null) return () => Promise.reject(notLoggedIn(api));
  if (credential.kind === 'key') return async () => ({ 'x-internal-key': credential.key });
  let { login } = credential;
  return async () => {
    if (!isFresh(login, now)) login = await freshLogin(api, file, now);
    return { authorization: `Bearer ${login.accessToken}` };
  };
}

/**
 * The login of an API with an access token that is good for a while. Of several processes one refreshes, the others take
 * what it got. @throws CliFailure `auth` when the login has ended; `unreachable` when the provider does not answer
 */
export function freshLogin(api: string, file: CredentialsFile, now: () => Date): Promise<StoredLogin> {
  return file.update(api, async (login) => {
    if (login === null) throw notLoggedIn(api);
    return isFresh(login, now) ? login : refresh(api, login, now);
  });
}

function isFresh(login: StoredLogin, now: () => Date): boolean {
  return Date.parse(login.expiresAt) - now().getTime() > EARLY_MS;
}

async function refresh(api: string, login: StoredLogin, now: () => Date): Promise<StoredLogin> {
  if (login.refreshToken === null) return stillGood(login, now, loginEnded(api));
  try {
    const config = await connectProvider(login.issuer);
    return refreshedLogin(login, await oidc.refreshTokenGrant(config, login.refreshToken), now());
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') throw loginEnded(api);
    return stillGood(login, now, providerAway(login.issuer, error));
  }
}

/** In its last minute a token is used on rather than given up. */
function stillGood(login: StoredLogin, now: () => Date, failure: CliFailure): StoredLogin {
  if (Date.parse(login.expiresAt) > now().getTime()) return login;
  throw failure;
}

/** The one line for a login that is over, however that showed. */
export function loginEnded(api: string): CliFailure {
  return new CliFailure('LOGIN_ENDED', `Your login at ${api} has expired or was ended.`, {
    exit: 'auth',
    remedy: 'Run `fairlead login`.',
  });
}

function notLoggedIn(api: string): CliFailure {
  return new CliFailure('NOT_LOGGED_IN', `You are not logged in at ${api}, and no key of it is known.`, {
    exit: 'auth',
    remedy: 'Run `fairlead login`, or set FAIRLEAD_KEY to the key of that API.',
  });
}

function providerAway(issuer: string, cause: unknown): CliFailure {
  if (cause instanceof CliFailure) return cause;
  return new CliFailure('UNREACHABLE', `The identity provider at ${issuer} does not renew your login now.`, {
    exit: 'unreachable',
    cause,
    remedy: 'Try again; if that goes on, run `fairlead login`.',
  });
}
