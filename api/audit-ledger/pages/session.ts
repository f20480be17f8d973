import { createSignInCookies, type SignInCookies } from '../../http/sign-in/sign-in-cookies.ts';
import type { AuditPagesDeps } from './deps.ts';

export type SessionDeps = Pick<AuditPagesDeps, 'authenticate' | 'secureCookies'>;

/** `session` holds the access token; `attempt` the login that is under way. */
export type AuditCookie = 'session' | 'attempt';

export function sessionCookies({ secureCookies }: Pick<SessionDeps, 'secureCookies'>): SignInCookies<AuditCookie> {
  return createSignInCookies('fl-audit', secureCookies);
}
