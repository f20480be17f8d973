import { admits } from '../api/http/allowed-callers.ts';
import type { RouteContext } from '../api/http/define-route.ts';
import { FairleadError } from '../domain/errors.ts';
import type { ShellDeps } from './deps.ts';
import { livePathOf } from './live/live-path.ts';
import { renderDocument } from './look/document.ts';
import type { FormOutcome, Page, PageContext, PageView } from './page.ts';
import { writeWho } from './people/who.ts';
import { navigationFor, tabsFor } from './registry.ts';
import type { Session } from './session/sessions.ts';

/** A request of somebody who is signed in, for a page. */
export interface Visit {
  readonly session: Session;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly context: RouteContext;
}

/** The services decide what a person may do; this spares them a page of refusals. @throws FORBIDDEN */
export function requireCaller({ callers }: Pick<Page, 'callers'>, { person }: Session): void {
  if (!admits(callers, person)) {
    throw new FairleadError('FORBIDDEN', 'Your role does not include this page');
  }
}

/** What a page is made of, for one visit. */
export function pageContext(shell: ShellDeps, visit: Visit, outcome: FormOutcome | null): PageContext {
  const { session, params, query, context } = visit;
  return {
    ...{ params, query, outcome },
    person: session.person,
    platform: shell.platformAs(session),
    addresses: shell.addresses,
    csrf: session.csrf,
    url: context.url,
    now: shell.now,
    who: writeWho(session.person),
    get log() {
      return context.log;
    },
  };
}

/** A view in the shell of its person. */
export function pageDocument(
  shell: ShellDeps,
  parts: {
    readonly page: Page | null;
    readonly session: Session;
    readonly params: Readonly<Record<string, unknown>>;
    readonly view: PageView;
    readonly outcome: FormOutcome | null;
    readonly url: string;
    /** A page in the place of one that cannot be shown: nothing of it changes. */
    readonly isError?: boolean;
  },
): string {
  const { page, session, params, view, outcome, url, isError = false } = parts;
  const { person } = session;
  return renderDocument({
    ...{ view, outcome, madeAt: shell.now() },
    who: { email: person.email, standing: standingOf(person) },
    csrf: session.csrf,
    nav: navigationFor(shell.pages, person, page),
    tabs: page === null || isError ? [] : tabsFor(shell.pages, page, person, params),
    livePath: isError || page === null || page.live === null || view.live === null ? null : livePathOf(url, view.live),
  });
}

function standingOf({ org, role, kind }: Session['person']): string {
  const known = [org === '' ? 'in no organisation' : org, role, kind === 'platform-admin' ? 'super admin' : null];
  return known.filter((word) => word !== null).join(' · ');
}
