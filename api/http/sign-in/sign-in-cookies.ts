import { stringifySetCookie } from 'cookie';
import type { RouteContext } from '../define-route.ts';

/** A `Set-Cookie` value that a browser keeps is at most so long, with its name and attributes (RFC 6265bis, 5.5). */
const COOKIE_LENGTH = 4_096;

/** The cookies of a service's pages: no script reads them, and no form of another site carries them along. */
export interface SignInCookies<Name extends string> {
  write(name: Name, value: string, maxAgeSeconds: number): string;
  clear(name: Name): string;
  /** Null for one that is not there, or too long to be ours. */
  read(name: Name, context: Pick<RouteContext, 'cookies'>): string | null;
}

/**
 * @param prefix goes before each name
 * @param secure true where browsers come by https: the name then keeps other hosts of the domain from planting one
 *   (RFC 6265bis, 4.1.3.2)
 */
export function createSignInCookies<Name extends string>(prefix: string, secure: boolean): SignInCookies<Name> {
  const nameOf = (name: Name): string => `${secure ? '__Host-' : ''}${prefix}-${name}`;
  const write = (name: Name, value: string, maxAge: number): string =>
    stringifySetCookie({
      ...{ name: nameOf(name), value, maxAge, secure },
      ...{ path: '/', httpOnly: true, sameSite: 'lax' },
    });
  return {
    write,
    clear: (name) => write(name, '', 0),
    read: (name, { cookies }) => {
      const value = cookies[nameOf(name)];
      return value === undefined || value === '' || value.length > COOKIE_LENGTH ? null : value;
    },
  };
}
