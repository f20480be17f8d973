import * as oidc from 'openid-client';
import type { Clock } from '../../domain/clock.ts';
import { CliFailure } from '../cli-failure.ts';
import type { Connection } from '../connection.ts';
import type { CredentialsFile, StoredLogin } from './credentials-file.ts';
import { refreshedLogin } from './obtained-tokens.ts';
import { connectProvider } from './provider.ts';

/** Renewed this long before its end, so that it is still good when it arrives. */
const EARLY_MS = 60_000;

/**
 * The headers that make a request the caller's own, asked for anew with each request. After an answer of 401 they are
 * asked for with `refused`: rights that were taken away void a token before its time, and the login gives another.
 * @throws CliFailure `auth`
 */
export type Authorize = (refused?: 'refused') => Promise<Readonly<Record<string, string>>>;

export function createAuthorization(connection: Connection, file: CredentialsFile, now: Clock): Authorize {
  const { api, credential } = connection;
  if (credential === null) return () => Promise.reject(notLoggedIn(api));
  if (credential.kind === 'key') return async () => ({ 'x-internal-key': credential.key });
  let { login } = credential;
  return async (refused) => {
    const bad = refused === undefined ? null : login.accessToken;
    if (bad !== null || !isFresh(login, now)) login = await freshLogin(api, file, now, bad);
    return { authorization: `Bearer ${login.accessToken}` };
  };
}

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

function isFresh(login: StoredLogin, now: Clock): boolean {
  return Date.parse(login.expiresAt) - now().getTime() > EARLY_MS;
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
