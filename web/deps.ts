import type { SignInCookies } from '../api/http/sign-in/sign-in-cookies.ts';
import type { StreamPlaces } from '../api/http/stream-places.ts';
import type { Clock } from '../domain/clock.ts';
import type { CodeLogin } from '../domain/identity/code-login.ts';
import type { Page, PageContext, WebModule } from './page.ts';
import type { Platform } from './platform/platform.ts';
import type { Outcomes } from './session/outcomes.ts';
import type { ConsoleCookie, Session, Sessions } from './session/sessions.ts';

/** What the shell works with. */
export interface ShellDeps {
  readonly modules: readonly WebModule[];
  /** Of all modules. */
  readonly pages: readonly Page[];
  readonly sessions: Sessions;
  readonly cookies: SignInCookies<ConsoleCookie>;
  readonly outcomes: Outcomes;
  /** Null where no identity provider is known. */
  readonly login: CodeLogin | null;
  readonly platformAs: (session: Pick<Session, 'token'>) => Platform;
  readonly addresses: PageContext['addresses'];
  readonly places: StreamPlaces;
  /** Such as `http://localhost:3000`. */
  readonly origin: string;
  readonly now: Clock;
}
