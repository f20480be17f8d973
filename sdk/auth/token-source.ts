import { parseCookie } from 'cookie';

/** The cookies a service keeps its user's tokens in (spec 1, A 3). */
export const ACCESS_TOKEN_COOKIE = 'bd-token';
export const REFRESH_TOKEN_COOKIE = 'bd-refresh';

/** A request of Node's `http`, of Express, or of the Fetch API: all that is read are its headers. */
export interface RequestWithHeaders {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Tokens found in a request, not yet verified. */
export interface PresentedTokens {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
}

/**
 * Finds the tokens of a request (spec 1, A 3): the access token in the `Authorization` header with the Bearer prefix,
 * else in the cookie `bd-token`; the refresh token always in the cookie `bd-refresh`. A bearer token that turns out to
 * be bad is not made up for by the cookie. The request is an argument on purpose: there is no ambient cookie store.
 */
export function readTokens(request: RequestWithHeaders): PresentedTokens {
  const cookie = headerOf(request, 'cookie');
  const cookies = cookie === null ? {} : parseCookie(cookie);
  return {
    accessToken: bearerOf(headerOf(request, 'authorization')) ?? nonEmpty(cookies[ACCESS_TOKEN_COOKIE]),
    refreshToken: nonEmpty(cookies[REFRESH_TOKEN_COOKIE]),
  };
}

const BEARER = 'bearer ';

/** RFC 6750, 2.1; the scheme's name is case-insensitive (RFC 9110, 11.1). */
function bearerOf(authorization: string | null): string | null {
  if (authorization === null || authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) return null;
  const token = authorization.slice(BEARER.length).trim();
  return token === '' || token.includes(' ') ? null : token;
}

function headerOf({ headers }: RequestWithHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function nonEmpty(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}
