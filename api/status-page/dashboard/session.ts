import { createSignInCookies, type SignInCookies } from '../../http/sign-in/sign-in-cookies.ts';
import type { DashboardSignIn } from './deps.ts';

/** `session` holds the access token; `attempt` the login that is under way. */
export type DashboardCookie = 'session' | 'attempt';

export function sessionCookies({
  secureCookies,
}: Pick<DashboardSignIn, 'secureCookies'>): SignInCookies<DashboardCookie> {
  return createSignInCookies('fl-monitor', secureCookies);
}
