import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import { readHistories, readStatus } from '../../domain/status-page/read-status.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import { shareRead } from '../http/shared-read.ts';
import type { StatusPageDeps } from './deps.ts';
import { readChangelogs } from './read-changelogs.ts';
import { COMPONENTS_A_PAGE, renderStatusPage } from './status-document.ts';

/** How old a page may be that is given once more: a state changes at most every few seconds. */
const MAX_AGE_MS = 5_000;
/** Pages of orgs that are kept in memory, of at most 40 KiB each. */
const MOST_PAGES = 200;

/** Status pages as they are served: one read for all who look within some seconds. */
export interface StatusReader {
  /** @throws NOT_FOUND for an org without anything to show; UNAVAILABLE */
  view(org: string): Promise<StatusView>;
  /** The page, and the copy that is kept of it. @throws as {@link view} */
  page(org: string, number: number): Promise<RenderedPage>;
}

export interface RenderedPage {
  /** In UTF-8, as it is sent again and again. */
  readonly html: Buffer;
  /** As it is shown when it cannot be read. */
  readonly stale: string;
}

export function createStatusReader(deps: StatusPageDeps): StatusReader {
  const views = new LRUCache<string, () => Promise<StatusView>>({ max: MOST_PAGES });
  const pages = new LRUCache<string, () => Promise<RenderedPage>>({ max: MOST_PAGES });
  const view = (org: string): Promise<StatusView> => shared(views, org, () => readShown(deps, org));
  return {
    view,
    page: (org, number) => shared(pages, `${org}/${number}`, async () => drawPage(deps, await view(org), org, number)),
  };
}

function shared<T>(cache: LRUCache<string, () => Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const kept = cache.get(key) ?? shareRead(read, MAX_AGE_MS);
  cache.set(key, kept);
  return kept();
}

async function readShown(deps: StatusPageDeps, org: string): Promise<StatusView> {
  const view = await readStatus(deps, { org, publicOnly: true }, deps.now());
  const isEmpty = view.components.length === 0 && view.open.length === 0 && view.past.length === 0;
  // Whether there is such an org is nobody's business.
  if (isEmpty && org !== deps.platformOrg)
    throw new FairleadError('NOT_FOUND', 'There is no status page at this address');
  return view;
}

async function drawPage(deps: StatusPageDeps, view: StatusView, org: string, number: number): Promise<RenderedPage> {
  const count = Math.max(1, Math.ceil(view.components.length / COMPONENTS_A_PAGE));
  if (number > count) throw new FairleadError('NOT_FOUND', `This status page has ${count} pages`);
  const components = view.components.slice((number - 1) * COMPONENTS_A_PAGE, number * COMPONENTS_A_PAGE);
  const ids = components.map(({ id }) => id);
  const services = components.flatMap(({ service }) => service ?? []);
  const [histories, changelogs] = await Promise.all([
    readHistories(deps, ids, deps.now()),
    readChangelogs(deps.changelogs, services),
  ]);
  const isOwn = org === deps.platformOrg;
  const page = {
    title: titleOf(deps, org),
    path: isOwn ? '/' : `/status/${org}`,
    ...{ view, components, histories, changelogs },
    page: { number, count },
  };
  return {
    html: Buffer.from(renderStatusPage({ ...page, isStale: false })),
    stale: renderStatusPage({ ...page, isStale: true }),
  };
}

/** What a page is called. */
export function titleOf(
  { platformOrg, platformName }: Pick<StatusPageDeps, 'platformOrg' | 'platformName'>,
  org: string,
) {
  return org === platformOrg ? `${platformName} status` : `${org} status`;
}
