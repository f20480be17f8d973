import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { CodeLogin, LoginTokens } from '../../../domain/identity/code-login.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { SIGN_IN_CALLBACK } from '../../../domain/services.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { REDIRECT_RESPONSE } from '../pages/page-responses.ts';
import { redirectTo } from '../pages/send-page.ts';
import type { SignInCookies } from './sign-in-cookies.ts';

/** How people sign in to a service's own pages. */
export interface SignInPages {
  /** Null where no identity provider is known: then nobody can sign in. */
  readonly login: CodeLogin | null;
  readonly cookies: SignInCookies<'attempt'>;
  /** Such as `audit ledger`. */
  readonly title: string;
  /** Path that sends a browser to sign in. */
  readonly path: string;
  /** Where they go who asked for no page, or for none of ours. */
  readonly home: string;
  /** Whether a path, which is of this origin, is one of these pages. */
  readonly isPage: (path: string) => boolean;
  /** The cookies that keep a login. */
  readonly keep: (tokens: LoginTokens) => readonly string[];
}

const ATTEMPT_SECONDS = 600;

/** Sends a browser to the identity provider, and takes it back: to the page that was asked for, and to nowhere else. */
export function signInRoutes(pages: SignInPages): readonly Route[] {
  const { cookies, home } = pages;
  const page = { tag: 'pages', callers: 'public', replies: 'page', responses: REDIRECT_RESPONSE } as const;
  const isOwn = (to: string): boolean => isOwnPath(to) && pages.isPage(to);
  const attemptSchema = z.object({
    ...{ verifier: z.string(), state: z.string(), nonce: z.string() },
    to: z.string().refine(isOwn),
  });
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: pages.path,
      summary: 'Sends a browser to sign in at the identity provider',
      query: z.strictObject({ to: z.string().max(2_000).optional() }),
      errors: ['UNAVAILABLE'],
      handle: async ({ query }) => {
        const { url, attempt } = await requireLogin(pages).begin();
        const to = query.to !== undefined && isOwn(query.to) ? query.to : home;
        const kept = Buffer.from(JSON.stringify({ ...attempt, to })).toString('base64url');
        return redirectTo(url, [cookies.write('attempt', kept, ATTEMPT_SECONDS)]);
      },
    }),
    defineRoute({
      ...page,
      method: 'get',
      path: SIGN_IN_CALLBACK,
      summary: 'Where the identity provider sends the browser back to',
      query: z.looseObject({}),
      errors: ['UNAUTHORIZED', 'UNAVAILABLE'],
      handle: async (_input, context) => {
        const kept = cookies.read('attempt', context);
        const text = kept === null ? '' : Buffer.from(kept, 'base64url').toString();
        const { data: attempt } = attemptSchema.safeParse(parseJson(text));
        if (attempt === undefined) throw new FairleadError('UNAUTHORIZED', 'This login was not begun in this browser');
        const query = context.url.slice(context.url.indexOf('?') + 1);
        const tokens = await requireLogin(pages).finish(query, attempt);
        return redirectTo(attempt.to, [...pages.keep(tokens), cookies.clear('attempt')]);
      },
    }),
  ];
}

/** A path of this origin, and nothing that a browser takes for another host. */
function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\');
}

function requireLogin({ login, title }: SignInPages): CodeLogin {
  if (login !== null) return login;
  throw new FairleadError('UNAVAILABLE', `The ${title} knows no identity provider to sign in at: set IDP_URL`);
}
