import type { z } from 'zod';
import type { Route } from '../../http/define-route.ts';
import { type SignedInPage, signedInPage } from '../../http/sign-in/signed-in-page.ts';
import { READERS } from '../ledger-callers.ts';
import { type SessionDeps, sessionCookies } from './session.ts';

/** The route of a page for whoever reads the ledger. These pages change nothing. */
export function auditorPage<P extends z.ZodObject, Q extends z.ZodObject>(
  deps: SessionDeps,
  page: SignedInPage<P, Q>,
): Route {
  const pages = {
    ...{ authenticate: deps.authenticate, cookies: sessionCookies(deps), loginPath: '/audit/login', callers: READERS },
    ...{ refusal: 'The audit ledger is for people with a role in an org', tag: 'pages' },
    errors: ['ORG_CLAIM_MISSING'],
  } as const;
  return signedInPage(pages, page);
}
