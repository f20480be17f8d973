import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PersonCaller } from '../../api/http/caller.ts';
import type { RouteContext } from '../../api/http/define-route.ts';
import type { SignInCookies } from '../../api/http/sign-in/sign-in-cookies.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LoginRenewal, LoginTokens } from '../../domain/identity/code-login.ts';
import type { CookieSeal } from './cookie-seal.ts';
import { personOf } from './person.ts';
import { createRefreshes, type Refreshes } from './refreshes.ts';

/**
 * `session` names the session and holds its refresh token; `access` the access token, so that it is refreshed when it
 * ends and not with each page; `attempt` a login under way; `notice` what the next page says.
 */
export type ConsoleCookie = 'session' | 'access' | 'attempt' | 'notice';

/** Somebody who is signed in, for one request. */
export interface Session {
  readonly id: string;
  readonly person: PersonCaller;
  /** Stands in each form of the session, and proves that the form is of a page of ours. */
  readonly csrf: string;
  /** The access token; after an answer of 401 it is asked for with the one that was `refused`. @throws as open() */
  token(refused?: string): Promise<string>;
  /** Milliseconds until the access token ends. */
  remainingMs(): number;
  /** What the reply has to set, because the login was refreshed. */
  cookies(): readonly string[];
}

export interface Sessions {
  /** The cookies of a new session: nothing of an earlier one is taken over. */
  begin(tokens: LoginTokens): readonly string[];
  /** Null without a session. @throws UNAUTHORIZED for one that has ended; UNAVAILABLE when the provider is away */
  open(context: Pick<RouteContext, 'cookies'>): Promise<Session | null>;
  /** The token of the forms, of a session that may have ended by now. */
  peek(context: Pick<RouteContext, 'cookies'>): Pick<Session, 'csrf'> | null;
  /** Revokes the login at the provider. @returns the cookies that forget it, and whether the provider was told */
  end(context: Pick<RouteContext, 'cookies'>): Promise<{ readonly cookies: readonly string[]; readonly told: boolean }>;
  readonly forget: readonly string[];
}

export interface SessionsDeps {
  /** Null where no identity provider is known: then there is no session. */
  readonly login: LoginRenewal | null;
  readonly seal: CookieSeal;
  readonly cookies: SignInCookies<ConsoleCookie>;
  readonly now: Clock;
}

const sessionSchema = z.object({ id: z.string(), csrf: z.string(), refreshToken: z.string() });
const accessSchema = z.object({ token: z.string(), expiresAt: z.number() });

type SessionContent = z.infer<typeof sessionSchema>;
type AccessContent = z.infer<typeof accessSchema>;

/** Longer than any login at the provider, which says when one ends. */
const COOKIE_SECONDS = 30 * 24 * 3_600;
/** A token is renewed so long before its end: it has to be good when it arrives. */
const EARLY_MS = 30_000;
/** A refresh token was exchanged by another request, whose tokens were exchanged again meanwhile, and so on. */
const MAX_EXCHANGES = 5;

/** Sessions of the console: all that is kept of them is in the browser, sealed. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { seal, cookies, login } = deps;
  const refreshes = createRefreshes({ refresh: (token) => requireLogin(login).refresh(token) });
  const forget = (['session', 'access', 'notice'] as const).map((name) => cookies.clear(name));
  const read = (context: Pick<RouteContext, 'cookies'>): SessionContent | null => {
    const text = cookies.read('session', context);
    return text === null ? null : seal.open('session', text, sessionSchema);
  };
  return {
    forget,
    peek: read,
    begin: (tokens) => {
      if (tokens.refreshToken === null) throw new FairleadError('UNAVAILABLE', 'The login cannot be refreshed');
      const [id, csrf] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')];
      return writeCookies(deps, { id, csrf, refreshToken: tokens.refreshToken }, accessOf(deps, tokens));
    },
    open: async (context) => {
      const content = read(context);
      if (content === null) return null;
      const text = cookies.read('access', context);
      const access = text === null ? null : seal.open(`access of ${content.id}`, text, accessSchema);
      return openSession(deps, refreshes, content, access);
    },
    end: async (context) => {
      const content = read(context);
      if (content === null) return { cookies: forget, told: true };
      refreshes.forget(content.refreshToken);
      const told = await requireLogin(login)
        .revoke(content.refreshToken)
        .then(
          () => true,
          () => false,
        );
      return { cookies: forget, told };
    },
  };
}

function requireLogin(login: LoginRenewal | null): LoginRenewal {
  if (login !== null) return login;
  throw new FairleadError('UNAVAILABLE', 'The console knows no identity provider to sign in at: set IDP_URL');
}

async function openSession(
  deps: SessionsDeps,
  refreshes: Refreshes,
  kept: SessionContent,
  keptAccess: AccessContent | null,
): Promise<Session> {
  let content = kept;
  let access = keptAccess;
  const isGood = (candidate: AccessContent | null, refused: string | undefined): candidate is AccessContent =>
    candidate !== null && candidate.token !== refused && candidate.expiresAt - deps.now().getTime() > EARLY_MS;

  const token = async (refused?: string): Promise<string> => {
    for (let exchanges = 0; !isGood(access, refused); exchanges += 1) {
      if (exchanges === MAX_EXCHANGES) throw new FairleadError('UNAUTHORIZED', 'Your session has ended: sign in again');
      const tokens = await refreshes.refresh(content.refreshToken);
      content = { ...content, refreshToken: tokens.refreshToken ?? content.refreshToken };
      access = accessOf(deps, tokens);
    }
    return access.token;
  };
  const person = personOf(await token());
  return {
    ...{ id: content.id, csrf: content.csrf, person, token },
    remainingMs: () => (access === null ? 0 : access.expiresAt - deps.now().getTime()),
    cookies: () => (access === null || access === keptAccess ? [] : writeCookies(deps, content, access)),
  };
}

function accessOf({ now }: SessionsDeps, tokens: LoginTokens): AccessContent {
  return { token: tokens.accessToken, expiresAt: now().getTime() + tokens.expiresInSeconds * 1_000 };
}

function writeCookies({ seal, cookies, now }: SessionsDeps, content: SessionContent, access: AccessContent): string[] {
  const seconds = Math.max(0, Math.floor((access.expiresAt - now().getTime()) / 1_000));
  return [
    cookies.write('session', seal.seal('session', content), COOKIE_SECONDS),
    cookies.write('access', seal.seal(`access of ${content.id}`, access), seconds),
  ];
}
