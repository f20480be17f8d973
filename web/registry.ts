import { admits } from '../api/http/allowed-callers.ts';
import type { PersonCaller } from '../api/http/caller.ts';
import type { TabLink } from './look/document.ts';
import type { NavGroup } from './look/navigation.ts';
import { NAV_GROUPS, type NavEntry, type Page } from './page.ts';
import { segmentOf } from './platform/platform.ts';

const GROUP_TITLES: Readonly<Record<NavEntry['group'], string | null>> = {
  work: null,
  people: 'Organisation',
  platform: 'Platform',
};

/** The navigation of a person on a page: the entries of pages that are for them. */
export function navigationFor(pages: readonly Page[], person: PersonCaller, current: Page | null): readonly NavGroup[] {
  const shown = pages.filter(({ callers }) => admits(callers, person));
  const owner = current === null ? null : ownerPath(pages, current);
  return NAV_GROUPS.flatMap((group) => {
    const links = shown
      .flatMap(({ nav, path }) => (nav?.group === group ? [{ ...nav, path }] : []))
      .toSorted((one, other) => one.order - other.order)
      .map(({ label, icon, path }) => {
        const marked = path === owner ? (path === current?.path ? 'page' : 'section') : null;
        return { label, icon, path, current: marked } as const;
      });
    return links.length === 0 ? [] : [{ title: GROUP_TITLES[group], links }];
  });
}

/** Path of the navigation entry that a page belongs to: its own, the one it names, or the one above it. */
function ownerPath(pages: readonly Page[], { path, under, nav }: Page): string | null {
  if (nav !== undefined) return path;
  if (under !== undefined) return under;
  const above = pages.filter((page) => page.nav !== undefined && path.startsWith(`${page.path}/`));
  return above[0]?.path ?? null;
}

/** The tabs beside a page, with the parameters that it was asked for with. */
export function tabsFor(
  pages: readonly Page[],
  current: Page,
  person: PersonCaller,
  params: Readonly<Record<string, unknown>>,
): readonly TabLink[] {
  const { tab } = current;
  if (tab === undefined) return [];
  return pages
    .filter((page) => page.tab?.of === tab.of && admits(page.callers, person))
    .toSorted((one, other) => (one.tab?.order ?? 0) - (other.tab?.order ?? 0))
    .map((page) => ({
      label: page.tab?.label ?? '',
      path: fillPath(page.path, params),
      current: page.path === current.path,
    }));
}

/** `/services/:name` with the name in its place. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/:([a-zA-Z]+)/g, (_match, name: string) => segmentOf(String(params[name] ?? '')));
}
