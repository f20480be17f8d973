import type { Express } from 'express';
import { type AppOptions, createApp } from '../api/http/create-app.ts';
import { createHealthRoute, type HealthOptions } from '../api/http/health.ts';
import { createAssetRoute } from '../api/http/pages/assets.ts';
import { createSignInCookies } from '../api/http/sign-in/sign-in-cookies.ts';
import { createStreamPlaces } from '../api/http/stream-places.ts';
import type { Clock } from '../domain/clock.ts';
import type { SecretCipher } from '../domain/config/ports.ts';
import type { CodeLogin, LoginRenewal } from '../domain/identity/code-login.ts';
import { apiTitle } from '../domain/services.ts';
import { actionRoute } from './action-route.ts';
import type { ShellDeps } from './deps.ts';
import { downloadRoute } from './download-route.ts';
import { createErrorPage } from './error-page.ts';
import { liveRoute } from './live/live-route.ts';
import { findAsset } from './look/assets.ts';
import type { PageContext, WebModule } from './page.ts';
import { pageRoute } from './page-route.ts';
import type { Platform } from './platform/platform.ts';
import { createCookieSeal } from './session/cookie-seal.ts';
import { createOutcomes } from './session/outcomes.ts';
import { type ConsoleCookie, createSessions, type Session } from './session/sessions.ts';
import { signInPages } from './session/sign-in-pages.ts';

export interface ConsoleDeps {
  readonly modules: readonly WebModule[];
  /** Null where no identity provider is known: then nobody can sign in. */
  readonly login: (CodeLogin & LoginRenewal) | null;
  /** Seals what browsers keep. */
  readonly cipher: SecretCipher;
  /** The platform's APIs, with the token of a session. */
  readonly platformAs: (session: Pick<Session, 'token'>) => Platform;
  /** Public addresses of the services, for links. */
  readonly addresses: PageContext['addresses'];
  /** Such as `http://localhost:3000`. */
  readonly publicUrl: string;
  readonly now: Clock;
}

export type ConsoleOptions = Omit<
  AppOptions,
  'title' | 'routes' | 'version' | 'health' | 'authenticate' | 'errorPage'
> & { readonly health: HealthOptions };

/** Streams of changes that one person, and all of them, have open at once. */
const STREAMS = { what: 'pages are followed', perKey: 30, inAll: 1_000 } as const;

/**
 * The console: pages for people on the platform's public APIs. It calls them as the person who is signed in, holds no key
 * of the platform and no data; so a flaw in a page gives nobody more than they have.
 */
export function createConsoleApp(deps: ConsoleDeps, options: ConsoleOptions): Express {
  const { modules, now, publicUrl, login } = deps;
  const cookies = createSignInCookies<ConsoleCookie>('fl-console', publicUrl.startsWith('https:'));
  const seal = createCookieSeal(deps.cipher);
  const pages = modules.flatMap((module) => module.pages);
  const shell: ShellDeps = {
    ...{ modules, pages, cookies, login, now },
    ...{ platformAs: deps.platformAs, addresses: deps.addresses },
    sessions: createSessions({ login, seal, cookies, now }),
    outcomes: createOutcomes(seal, cookies),
    places: createStreamPlaces(STREAMS),
    origin: new URL(publicUrl).origin,
  };
  return createApp({
    ...options,
    // Nobody calls the console by a credential in a header; its pages look at the session by themselves.
    authenticate: async () => null,
    errorPage: createErrorPage(shell),
    title: apiTitle('console'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      createAssetRoute(findAsset),
      ...signInPages(shell),
      ...pages.map((page) => pageRoute(shell, page)),
      ...pages.flatMap((page) => liveRoute(shell, page)),
      ...modules.flatMap((module) => module.downloads ?? []).map((download) => downloadRoute(shell, download)),
      ...modules.flatMap((module) => module.actions).map((action) => actionRoute(shell, action)),
    ],
  });
}
