import { stringifySetCookie } from 'cookie';
import { FairleadError } from '../../../domain/errors.ts';
import { type Caller, isPlatform } from '../../http/caller.ts';
import type { Reply, RouteContext } from '../../http/define-route.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import type { AuditPagesDeps } from './deps.ts';

type Deps = Pick<AuditPagesDeps, 'authenticate' | 'secureCookies'>;

/** `session` holds the access token; `attempt` the login that is under way. */
export type AuditCookie = 'session' | 'attempt';

const COOKIE_LENGTH = 4_096;

/** A `Set-Cookie` value that scripts cannot read and that other sites' forms do not carry. */
export function writeCookie(deps: Deps, name: AuditCookie, value: string, maxAgeSeconds: number): string {
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

export function readCookie(deps: Deps, name: AuditCookie, { cookies }: Pick<RouteContext, 'cookies'>): string | null {
  const value = cookies[cookieName(deps, name)];
  return value === undefined || value === '' || value.length > COOKIE_LENGTH ? null : value;
}

/**
 * Shows a page to people who may read the ledger, and sends all others to sign in. A cookie is believed on these pages
 * alone, which change nothing: the API looks at headers only. @throws FORBIDDEN for people without a role in their org
 */
export async function forAuditor(
  deps: Deps,
  context: RouteContext,
  show: (caller: Caller) => Promise<Reply>,
): Promise<Reply> {
  const caller = await callerOf(deps, context);
  if (caller === null) return redirectTo(`/audit/login?to=${encodeURIComponent(context.url)}`);
  if (caller.kind === 'user' && caller.role === null && !isPlatform(caller)) {
    throw new FairleadError('FORBIDDEN', 'The audit ledger is for people with a role in an org');
  }
  return show(caller);
}

async function callerOf(deps: Deps, context: RouteContext): Promise<Caller | null> {
  if (context.caller !== null) return context.caller;
  const token = readCookie(deps, 'session', context);
  if (token === null) return null;
  try {
    return await deps.authenticate({ method: 'GET', headers: { authorization: `Bearer ${token}` } });
  } catch (error) {
    // Over or revoked: they sign in again.
    if (error instanceof FairleadError && error.code === 'UNAUTHORIZED') return null;
    throw error;
  }
}

/** With https the prefix keeps other hosts of the domain from planting one (RFC 6265bis, 4.1.3.2). */
function cookieName({ secureCookies }: Deps, name: AuditCookie): string {
  return `${secureCookies ? '__Host-' : ''}fl-audit-${name}`;
}
