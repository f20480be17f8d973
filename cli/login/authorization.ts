import type { Clock } from '../../domain/clock.ts';
import type { Connection } from '../connection.ts';
import type { CredentialsFile } from './credentials-file.ts';
import { isFresh, notLoggedIn } from './login-state.ts';

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
    if (bad !== null || !isFresh(login, now)) {
      // With the library of OpenID Connect: no other request waits for it.
      const { freshLogin } = await import('./fresh-login.ts');
      login = await freshLogin(api, file, now, bad);
    }
    return { authorization: `Bearer ${login.accessToken}` };
  };
}
