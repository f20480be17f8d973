import type { ShownChangelog } from '../../domain/status-page/changelog-text.ts';
import type { ServiceChangelog } from '../../domain/status-page/ports.ts';
import type { ComponentHistory, StatusComponent, StatusView } from '../../domain/status-page/status-view.ts';

/** Components on one page; the others are on the next ones. */
export const COMPONENTS_A_PAGE = 20;

/** The changelog of one service, cut as the page shows it. */
export interface PageChangelog extends Omit<ServiceChangelog, 'notes'> {
  readonly shown: ShownChangelog;
}

/** What a status page is drawn of. */
export interface StatusPage {
  readonly title: string;
  /** Path of the page below its service, such as `/` or `/status/acme`. */
  readonly path: string;
  /** Whether it has a form for updates by mail. */
  readonly takesSubscribers: boolean;
  readonly view: StatusView;
  /** Those of this page. */
  readonly components: readonly StatusComponent[];
  readonly histories: ReadonlyMap<string, ComponentHistory>;
  /** Newest first; null where the registry does not answer. */
  readonly changelogs: readonly PageChangelog[] | null;
  readonly page: { readonly number: number; readonly count: number };
}
