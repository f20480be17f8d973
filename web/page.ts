import type { Logger } from 'pino';
import { z } from 'zod';
import { type AllowedCallers, PEOPLE } from '../api/http/allowed-callers.ts';
import type { PersonCaller } from '../api/http/caller.ts';
import type { HtmlValue } from '../api/http/pages/html.ts';
import type { Clock } from '../domain/clock.ts';
import type { LiveEvent } from './live/live-event.ts';
import type { IconName } from './look/icons.ts';
import { type Named, nameAll, type Who } from './people/who.ts';
import type { Platform, PlatformService } from './platform/platform.ts';

/** Groups of the navigation, in their order. */
export const NAV_GROUPS = ['work', 'people', 'platform'] as const;

/** An entry of the navigation. */
export interface NavEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly group: (typeof NAV_GROUPS)[number];
  /** Within its group, the lowest first. */
  readonly order: number;
}

/** What the last form of this person said, for the page that comes after it. */
export interface FormOutcome {
  readonly kind: 'done' | 'failed';
  /** Path that the form was sent to: a page may have several. */
  readonly action: string;
  readonly text: string;
  /** What was typed, for the form to show again; nothing that is secret. */
  readonly values: Readonly<Record<string, string>>;
  /** What is wrong with a field, by its name. */
  readonly errors: Readonly<Record<string, string>>;
}

/** What a page is made of. */
export interface PageContext<P = Readonly<Record<string, unknown>>, Q = Readonly<Record<string, unknown>>> {
  readonly params: P;
  readonly query: Q;
  readonly person: PersonCaller;
  /** The platform's APIs, called as this person. */
  readonly platform: Platform;
  /** Public addresses of the services that are known, for links. */
  readonly addresses: Readonly<Partial<Record<PlatformService, string>>>;
  /** For forms; `form()` of web/look puts it in. */
  readonly csrf: string;
  /** Path and query of this page. */
  readonly url: string;
  readonly now: Clock;
  /** Writes who did something: by their names, those whom the page says by `people`. */
  readonly who: Who;
  readonly log: Logger;
  /** Null unless a form brought the person here. */
  readonly outcome: FormOutcome | null;
}

/** What a page shows between the navigation and the foot. */
export interface PageView {
  readonly title: string;
  /** The way here: names with their paths. */
  readonly crumbs?: readonly (readonly [label: string, path: string])[];
  /** Beside the title: status, environment. */
  readonly beside?: HtmlValue;
  /** One line below the title. */
  readonly lead?: HtmlValue;
  /** What can be done here: links and forms. */
  readonly buttons?: HtmlValue;
  readonly body: HtmlValue;
  /** Added to the query of the page's changes, such as where they go on; null where nothing changes any more. */
  readonly live?: Readonly<Record<string, string>> | null;
}

/** A tab: pages of the same `of` are shown beside each other, with the parameters that they share. */
export interface Tab {
  /** Such as `service`. */
  readonly of: string;
  readonly label: string;
  readonly order: number;
}

type Params = z.ZodObject;

/** One row of the registry: everything the shell needs to know of a page. */
export interface PageDefinition<P extends Params, Q extends Params, D> {
  /** Folder in `web/`. */
  readonly module: string;
  /** Express path such as `/services/:name`. */
  readonly path: string;
  /** What the page is, for the API document and the list of pages. */
  readonly summary: string;
  readonly nav?: NavEntry;
  /** Path of the navigation entry that the page belongs to, where its own path does not tell. */
  readonly under?: string;
  readonly tab?: Tab;
  /** Who is shown it; people of all kinds by default. What they may see of it, the services decide. */
  readonly callers?: AllowedCallers;
  readonly params?: P;
  readonly query?: Q;
  /** Gets what the page shows. @throws what the platform says: 404 and 403 become pages of their own */
  readonly load: (context: PageContext<z.output<P>, z.output<Q>>) => Promise<D>;
  /** Whose names the page shows: they are looked up with one call before it is. */
  readonly people?: (data: D, context: PageContext<z.output<P>, z.output<Q>>) => Named;
  readonly view: (data: D, context: PageContext<z.output<P>, z.output<Q>>) => PageView;
  /**
   * Changes of the page while it is open, until it ends or `signal` aborts. They go to regions of the page (see
   * `liveRegion` in web/look), and resume after `lastEventId`.
   */
  readonly live?: (context: LiveContext<z.output<P>, z.output<Q>>) => AsyncIterable<LiveEvent>;
}

export interface LiveContext<P = Readonly<Record<string, unknown>>, Q = Readonly<Record<string, unknown>>>
  extends PageContext<P, Q> {
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}

/** A page with its types folded in. */
export interface Page extends Omit<PageDefinition<Params, Params, unknown>, 'load' | 'view' | 'live' | 'people'> {
  readonly kind: 'page';
  readonly callers: AllowedCallers;
  readonly params: Params;
  readonly query: Params;
  readonly open: (context: PageContext) => Promise<PageView>;
  readonly live: ((context: LiveContext) => AsyncIterable<LiveEvent>) | null;
}

const NOTHING = z.strictObject({});

export function definePage<D, P extends Params = typeof NOTHING, Q extends Params = typeof NOTHING>(
  definition: PageDefinition<P, Q, D>,
): Page {
  type Context = PageContext<z.output<P>, z.output<Q>>;
  const { load, view, live, people, ...row } = definition;
  return {
    ...row,
    kind: 'page',
    callers: row.callers ?? PEOPLE,
    params: row.params ?? NOTHING,
    query: row.query ?? NOTHING,
    // The shell has checked the parameters by the page's own schemas.
    open: async (shell) => {
      const context = shell as Context;
      const data = await load(context);
      if (people === undefined) return view(data, context);
      return view(data, { ...context, who: await nameAll(context, people(data, context)) });
    },
    live: live === undefined ? null : (context) => live(context as LiveContext<z.output<P>, z.output<Q>>),
  };
}

/** What an action answers: where to go, and one line that is said there. */
export interface ActionSent {
  readonly to: string;
  readonly notice?: string;
  /** The token says something else by now, such as another org: a new one is got before the next page. */
  readonly renew?: true;
}

/**
 * What an action answers that makes a secret: the page that shows it, this once. It is the answer to the form itself, so
 * that the secret is in no address and no cookie, and no cache keeps it. Also what one answers that asks back, with a form.
 */
export interface ActionShown {
  readonly shown: PageView;
}

export type ActionDone = ActionSent | ActionShown;

/** A form that changes something. Sent by POST, with the token of the session; the browser is sent on afterwards. */
export interface ActionDefinition<P extends Params, B extends Params> {
  readonly module: string;
  readonly path: string;
  readonly summary: string;
  readonly callers?: AllowedCallers;
  readonly params?: P;
  /** Its fields, without the token. Values are text as the form sent it. */
  readonly body?: B;
  /** Fields that are never shown again. */
  readonly secrets?: readonly string[];
  /** Where the browser goes when it failed: the page with the form, which then shows what was typed and why. */
  readonly back: (params: z.output<P>) => string;
  readonly run: (context: ActionContext<z.output<P>, z.output<B>>) => Promise<ActionDone>;
}

export type ActionContext<P = Readonly<Record<string, unknown>>, B = Readonly<Record<string, unknown>>> = Pick<
  PageContext<P>,
  // The token is for a form of the page that is shown.
  'params' | 'person' | 'platform' | 'now' | 'log' | 'csrf'
> & { readonly body: B };

export interface Action extends Omit<ActionDefinition<Params, Params>, 'back' | 'run'> {
  readonly kind: 'action';
  readonly callers: AllowedCallers;
  readonly params: Params;
  readonly body: Params;
  readonly back: (params: Readonly<Record<string, unknown>>) => string;
  readonly run: (context: ActionContext) => Promise<ActionDone>;
}

export function defineAction<P extends Params = typeof NOTHING, B extends Params = typeof NOTHING>(
  definition: ActionDefinition<P, B>,
): Action {
  const { back, run, ...row } = definition;
  return {
    ...row,
    kind: 'action',
    callers: row.callers ?? PEOPLE,
    params: row.params ?? NOTHING,
    body: row.body ?? NOTHING,
    back: (params) => back(params as z.output<P>),
    run: (context) => run(context as ActionContext<z.output<P>, z.output<B>>),
  };
}

/** A file of text that is made while it is sent. */
export interface DownloadDefinition<P extends Params> {
  readonly module: string;
  /** Express path such as `/builds/:id/log.txt`. */
  readonly path: string;
  readonly summary: string;
  readonly callers?: AllowedCallers;
  readonly params?: P;
  /** The first part of the text is read before anything is sent: what it throws becomes a page, as that of a page does. */
  readonly load: (context: PageContext<z.output<P>>) => Promise<TextFile>;
}

export interface TextFile {
  readonly fileName: string;
  readonly text: AsyncIterable<string>;
}

export interface Download extends Omit<DownloadDefinition<Params>, 'load'> {
  readonly kind: 'download';
  readonly callers: AllowedCallers;
  readonly params: Params;
  readonly load: (context: PageContext) => Promise<TextFile>;
}

export function defineDownload<P extends Params = typeof NOTHING>(definition: DownloadDefinition<P>): Download {
  const { load, ...row } = definition;
  return {
    ...row,
    kind: 'download',
    callers: row.callers ?? PEOPLE,
    params: row.params ?? NOTHING,
    load: (context) => load(context as PageContext<z.output<P>>),
  };
}

/** What a module adds to the console. */
export interface WebModule {
  readonly pages: readonly Page[];
  readonly actions: readonly Action[];
  readonly downloads?: readonly Download[];
}
