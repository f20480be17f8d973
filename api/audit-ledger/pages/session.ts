import { stringifySetCookie } from 'cookie';
import type { RouteContext } from '../../http/define-route.ts';
import type { AuditPagesDeps } from './deps.ts';

export type SessionDeps = Pick<AuditPagesDeps, 'authenticate' | 'secureCookies'>;

/** `session` holds the access token; `attempt` the login that is under way. */
export type AuditCookie = 'session' | 'attempt';

const COOKIE_LENGTH = 4_096;

/** A `Set-Cookie` value that scripts cannot read and that other sites' forms do not carry. */
export function writeCookie(deps: SessionDeps, name: AuditCookie, value: string, maxAgeSeconds: number): string {
  return stringifySetCookie({
    name: cookieName(deps, name),
    value,
    maxAge: maxAgeSeconds,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: deps.secureCookies,
  });
}

export function readCookie(
  deps: SessionDeps,
  name: AuditCookie,
  { cookies }: Pick<RouteContext, 'cookies'>,
): string | null {
  const value = cookies[cookieName(deps, name)];
  return value === undefined || value === '' || value.length > COOKIE_LENGTH ? null : value;
}

/** With https the prefix keeps other hosts of the domain from planting one (RFC 6265bis, 4.1.3.2). */
function cookieName({ secureCookies }: SessionDeps, name: AuditCookie): string {
  return `${secureCookies ? '__Host-' : ''}fl-audit-${name}`;
}
