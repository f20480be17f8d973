import type { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../../domain/errors.ts';
import { admits, describeCallers } from '../../http/allowed-callers.ts';
import type { Caller } from '../../http/caller.ts';
import { defineRoute, type Reply, type Route } from '../../http/define-route.ts';
import { PAGE_RESPONSES } from '../../http/pages/page-responses.ts';
import { redirectTo } from '../../http/pages/send-page.ts';
import { signedIn } from '../../http/sign-in/signed-in.ts';
import { READERS } from '../ledger-callers.ts';
import { type SessionDeps, sessionCookies } from './session.ts';

/** A page for whoever reads the ledger, and what it shows them. */
export interface AuditorPage<P extends z.ZodObject, Q extends z.ZodObject> {
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
 * The route of such a page. Its row is public, for whoever is not signed in is sent to sign in; beyond that it is for the
 * callers of the API that reads the same. A cookie is believed on these pages alone, which change nothing: the API looks
 * at headers only.
 */
export function auditorPage<P extends z.ZodObject, Q extends z.ZodObject>(
  deps: SessionDeps,
  { show, ...page }: AuditorPage<P, Q>,
): Route {
  return defineRoute({
    ...page,
    method: 'get',
    description: `For ${describeCallers(READERS)}; others are sent to sign in.`,
    tag: 'pages',
    callers: 'public',
    replies: 'page',
    responses: PAGE_RESPONSES,
    errors: ['FORBIDDEN', 'ORG_CLAIM_MISSING', ...(page.errors ?? [])],
    handle: async (input, context) => {
      const caller = await signedIn(deps.authenticate, sessionCookies(deps), context);
      if (caller === null) return redirectTo(`/audit/login?to=${encodeURIComponent(context.url)}`);
      if (!admits(READERS, caller)) {
        throw new FairleadError('FORBIDDEN', 'The audit ledger is for people with a role in an org');
      }
      return show(input, caller);
    },
  });
}
