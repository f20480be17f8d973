import { FairleadError } from '../../domain/errors.ts';
import { readStatus, showsService } from '../../domain/status-page/read-status.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import { createSharedAnswers } from '../http/shared-answers.ts';
import { changelogDocument } from './changelog-document.ts';
import type { StatusPageDeps } from './deps.ts';
import { drawPage, type RenderedPage } from './draw-page.ts';
import { createSharedChangelogs } from './shared-changelogs.ts';

/** How old an answer may be that is given once more: a state changes at most every few seconds. */
const MAX_AGE_MS = 5_000;
/** Of each kind of answer so much is kept: some hundred pages, or the documents of some hundred orgs. */
const MOST_BYTES = 16 * 1024 * 1024;
/** About what components and incidents take in memory: a view is not measured. */
const COMPONENT_BYTES = 600;
const INCIDENT_BYTES = 4_000;

/** What the public reads, made once for all who look within some seconds, in bounded memory. */
export interface StatusReader {
  /** @throws NOT_FOUND for an org without anything to show; UNAVAILABLE */
  view(org: string): Promise<StatusView>;
  /** The page, and the copy that is kept of it. @throws as {@link view} */
  page(org: string, number: number): Promise<RenderedPage>;
  /** A document of the view of an org as it is sent. @param name under which it is kept @throws as {@link view} */
  document(org: string, name: string, draw: (view: StatusView) => string): Promise<Buffer>;
  /** The whole changelog of a service. @throws NOT_FOUND also for a service that no page shows; UNAVAILABLE */
  changelog(service: string): Promise<Buffer>;
}

export function createStatusReader(deps: StatusPageDeps): StatusReader {
  const { monotonicMs } = deps;
  const kept = { maxAgeMs: MAX_AGE_MS, mostBytes: MOST_BYTES, errorMaxAgeMs: refusalMaxAgeMs, monotonicMs };
  const views = createSharedAnswers<StatusView>({ ...kept, bytesOf: bytesOfView });
  const pages = createSharedAnswers<RenderedPage>({
    ...kept,
    bytesOf: ({ html, stale }) => html.length + 2 * stale.length,
  });
  const documents = createSharedAnswers<Buffer>({ ...kept, bytesOf: ({ length }) => length });
  const findChangelog = createSharedChangelogs(deps);
  const view = (org: string): Promise<StatusView> => views(org, () => readShown(deps, org));
  return {
    view,
    page: (org, number) =>
      pages(`${org}/${number}`, async () => drawPage(deps, await view(org), number, findChangelog)),
    document: (org, name, draw) => documents(`${org}/${name}`, async () => Buffer.from(draw(await view(org)))),
    changelog: (service) =>
      documents(service, async () => {
        const found = (await showsService(deps, service)) ? await findChangelog(service) : null;
        if (found === null) throw new FairleadError('NOT_FOUND', `There is no changelog of ${service}`);
        return Buffer.from(changelogDocument(found));
      }),
  };
}

function bytesOfView({ components, open, past, maintenances }: StatusView): number {
  const small = components.length + maintenances.length;
  return small * COMPONENT_BYTES + (open.length + past.length) * INCIDENT_BYTES;
}

/** That there is no such thing is an answer; that the database is away is none. */
function refusalMaxAgeMs(error: unknown): number {
  return error instanceof FairleadError && error.code === 'NOT_FOUND' ? MAX_AGE_MS : 0;
}

async function readShown(deps: StatusPageDeps, org: string): Promise<StatusView> {
  const view = await readStatus(deps, { org, publicOnly: true }, deps.now());
  const isEmpty = view.components.length === 0 && view.open.length === 0 && view.past.length === 0;
  // Whether there is such an org is nobody's business.
  if (isEmpty && org !== deps.platformOrg)
    throw new FairleadError('NOT_FOUND', 'There is no status page at this address');
  return view;
}
