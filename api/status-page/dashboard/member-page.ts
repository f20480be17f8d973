import { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../../domain/errors.ts';
import { type AllowedCallers, admits, describeCallers } from '../../http/allowed-callers.ts';
import type { Caller } from '../../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import { REDIRECT_RESPONSE } from '../../http/pages/page-responses.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import { signedIn } from '../../http/sign-in/signed-in.ts';
import { type SignedInPage, signedInPage } from '../../http/sign-in/signed-in-page.ts';
import { ACTORS, READERS } from '../../monitors/monitor-callers.ts';
import type { DashboardSignIn } from './deps.ts';
import { sessionCookies } from './session.ts';

const REFUSED = 'The dashboard is for people with a role in an org';

/** The route of a page of the dashboard. */
export function memberPage<P extends z.ZodObject, Q extends z.ZodObject>(
  deps: DashboardSignIn,
  page: SignedInPage<P, Q>,
): Route {
  const pages = {
    ...{ authenticate: deps.authenticate, cookies: sessionCookies(deps), loginPath: '/dashboard/login' },
    ...{ callers: READERS, refusal: REFUSED, tag: 'dashboard', errors: [] },
  };
  return signedInPage(pages, page);
}

/** A form of the dashboard, and what sending it does. */
export interface MemberForm<P extends z.ZodObject, B extends z.ZodObject> {
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly body: B;
  readonly errors?: readonly ErrorCode[];
  /** Who may send it; {@link ACTORS} where it is left out. */
  readonly callers?: AllowedCallers;
  /** @returns the page that is shown then */
  readonly send: (
    input: { readonly params: z.output<P>; readonly body: z.output<B> },
    caller: Caller,
    context: RouteContext,
  ) => Promise<string>;
}

/**
 * The route of a form. It counts when a page of ours has sent it: the browser says so, and no other site's form carries the
 * cookie along.
 */
export function memberForm<P extends z.ZodObject, B extends z.ZodObject>(
  deps: DashboardSignIn,
  { send, callers = ACTORS, ...form }: MemberForm<P, B>,
): Route {
  return defineRoute({
    ...form,
    ...{ method: 'post', tag: 'dashboard', callers: 'public', replies: 'page', responses: REDIRECT_RESPONSE },
    bodyTypes: ['form'],
    description: `For ${describeCallers(callers)}, who are signed in.`,
    errors: ['FORBIDDEN', 'ORIGIN_REFUSED', ...(form.errors ?? [])],
    handle: async (input, context) => {
      requireOwnForm(context, deps.origin);
      const caller = await signedIn(deps.authenticate, sessionCookies(deps), context);
      if (caller === null) return redirectTo('/dashboard/login');
      return redirectTo(await send(input, requireSender(callers, caller), context));
    },
  });
}

/** A browser that says nothing of where a form comes from is none of today's. @throws ORIGIN_REFUSED */
export function requireOwnForm(context: Pick<RouteContext, 'headers' | 'origin'>, origin: string): void {
  const site = context.headers['sec-fetch-site'];
  const isOwn = context.origin === null ? site === 'same-origin' : context.origin === origin;
  if (isOwn && (site === undefined || site === 'same-origin')) return;
  throw new FairleadError('ORIGIN_REFUSED', 'This form was not sent by a page of the uptime monitor');
}

/** @throws FORBIDDEN */
function requireSender(callers: AllowedCallers, caller: Caller): Caller {
  if (admits(callers, caller)) return caller;
  throw new FairleadError('FORBIDDEN', `This is for ${describeCallers(callers)}`);
}

export const NOTHING = z.strictObject({});
