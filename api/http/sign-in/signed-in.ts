import { FairleadError } from '../../../domain/errors.ts';
import type { Authenticate, Caller } from '../caller.ts';
import type { RouteContext } from '../define-route.ts';
import type { SignInCookies } from './sign-in-cookies.ts';

/**
 * Who looks at a page: as the request's headers say, else by the access token in the cookie `session`, which is verified as
 * any other. Null for whoever has to sign in. @throws what `authenticate` throws, but for a token that has expired or was revoked
 */
export async function signedIn(
  authenticate: Authenticate,
  cookies: Pick<SignInCookies<'session' | 'attempt'>, 'read'>,
  context: RouteContext,
): Promise<Caller | null> {
  if (context.caller !== null) return context.caller;
  const token = cookies.read('session', context);
  if (token === null) return null;
  try {
    return await authenticate({ method: 'GET', headers: { authorization: `Bearer ${token}` } });
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'UNAUTHORIZED') return null;
    throw error;
  }
}
