import { stringifySetCookie } from 'cookie';
import type { IdentitySettings } from '../deps.ts';

type CookieSettings = Pick<IdentitySettings, 'secureCookies'>;

/** Cookies of the provider: the session, the visit before one, the login half done, the passkey challenge, and the device. */
export type CookieName = 'session' | 'visit' | 'login' | 'challenge' | 'device';

/** With https the prefix `__Host-` keeps other hosts of the domain from planting one (RFC 6265bis, 4.1.3.2). */
export function cookieName(settings: CookieSettings, name: CookieName): string {
  return `${settings.secureCookies ? '__Host-' : ''}fl-${name}`;
}

/** A `Set-Cookie` value that scripts cannot read and other sites' requests do not carry. */
export function writeCookie(settings: CookieSettings, name: CookieName, value: string, maxAgeSeconds: number): string {
  return stringifySetCookie({
    name: cookieName(settings, name),
    value,
    maxAge: maxAgeSeconds,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: settings.secureCookies,
  });
}

export function clearCookie(settings: CookieSettings, name: CookieName): string {
  return writeCookie(settings, name, '', 0);
}

export function readCookie(
  settings: CookieSettings,
  name: CookieName,
  cookies: Readonly<Record<string, string | undefined>>,
): string | null {
  const value = cookies[cookieName(settings, name)];
  return value === undefined || value === '' || value.length > 4_096 ? null : value;
}
