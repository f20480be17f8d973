import { FairleadError } from '../../domain/errors.ts';
import { readHistories } from '../../domain/status-page/read-status.ts';
import { titleOf } from '../../domain/status-page/status-place.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import type { StatusPageDeps } from './deps.ts';
import { COMPONENTS_A_PAGE } from './page-content.ts';
import { readChangelogs } from './read-changelogs.ts';
import type { FindChangelog } from './shared-changelogs.ts';
import { renderStatusPage } from './status-document.ts';

export interface RenderedPage {
  /** In UTF-8, as it is sent again and again. */
  readonly html: Buffer;
  /** As it is shown when it cannot be read. */
  readonly stale: string;
}

/** One page of a view, with the histories and changelogs of its components. @throws NOT_FOUND for one that it has not; UNAVAILABLE */
export async function drawPage(
  deps: StatusPageDeps,
  view: StatusView,
  number: number,
  findChangelog: FindChangelog,
): Promise<RenderedPage> {
  const { org } = view;
  const count = Math.max(1, Math.ceil(view.components.length / COMPONENTS_A_PAGE));
  if (number > count) throw new FairleadError('NOT_FOUND', `This status page has ${count} pages`);
  const components = view.components.slice((number - 1) * COMPONENTS_A_PAGE, number * COMPONENTS_A_PAGE);
  const ids = components.map(({ id }) => id);
  const services = components.flatMap(({ service }) => service ?? []);
  const [histories, changelogs] = await Promise.all([
    readHistories(deps, ids, deps.now()),
    readChangelogs(findChangelog, services),
  ]);
  const { live, stale } = renderStatusPage({
    title: titleOf(deps, org),
    path: org === deps.platformOrg ? '/' : `/status/${org}`,
    takesSubscribers: deps.sendsMail,
    ...{ view, components, histories, changelogs },
    page: { number, count },
  });
  return { html: Buffer.from(live), stale };
}
