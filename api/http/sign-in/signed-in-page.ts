import type { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../../domain/errors.ts';
import { type AllowedCallers, admits, describeCallers } from '../allowed-callers.ts';
import type { Authenticate, Caller } from '../caller.ts';
import { defineRoute, type Reply, type Route, type RouteContext } from '../define-route.ts';
import { PAGE_RESPONSES } from '../pages/page-responses.ts';
import { redirectTo } from '../pages/send-page.ts';
import type { SignInCookies } from './sign-in-cookies.ts';
import { signedIn } from './signed-in.ts';

/** Pages of one service that people sign in to. */
export interface SignedInPages {
  readonly authenticate: Authenticate;
  readonly cookies: Pick<SignInCookies<'session' | 'attempt'>, 'read'>;
  /** Where people sign in, such as `/audit/login`. */
  readonly loginPath: string;
  /** The callers of the API that reads the same. */
  readonly callers: AllowedCallers;
  /** What is said to those who are signed in and not among them. */
  readonly refusal: string;
  readonly tag: string;
  /** Of every page, besides its own. */
  readonly errors: readonly ErrorCode[];
}

/** One of them, and what it shows. */
export interface SignedInPage<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly errors?: readonly ErrorCode[];
  readonly show: (
    input: { readonly params: z.output<P>; readonly query: z.output<Q> },
    caller: Caller,
  ) => Promise<Reply>;
}

/**
 * The route of a page. Its row is public, for whoever is not signed in is sent to sign in; beyond that it is for the callers
 * of the API that reads the same. A cookie is believed on these pages alone: the API looks at headers only.
 */
export function signedInPage<P extends z.ZodObject, Q extends z.ZodObject>(
  pages: SignedInPages,
  { show, ...page }: SignedInPage<P, Q>,
): Route {
  const { authenticate, cookies, loginPath, callers, refusal, tag } = pages;
  return defineRoute({
    ...page,
    ...{ method: 'get', tag, callers: 'public', replies: 'page', responses: PAGE_RESPONSES },
    description: `For ${describeCallers(callers)}; others are sent to sign in.`,
    errors: ['FORBIDDEN', ...pages.errors, ...(page.errors ?? [])],
    handle: async (input, context) => {
      const caller = await signedIn(authenticate, cookies, context);
      if (caller === null) return redirectTo(loginWith(loginPath, context));
      if (!admits(callers, caller)) throw new FairleadError('FORBIDDEN', refusal);
      return show(input, caller);
    },
  });
}

function loginWith(loginPath: string, { url }: Pick<RouteContext, 'url'>): string {
  return `${loginPath}?to=${encodeURIComponent(url)}`;
}
