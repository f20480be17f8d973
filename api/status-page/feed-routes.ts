import { z } from 'zod';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { atomFeed } from '../../domain/status-page/atom-feed.ts';
import { statusCalendar } from '../../domain/status-page/calendar.ts';
import { placeOf } from '../../domain/status-page/status-place.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import type { StatuspagePlace } from '../../domain/status-page/statuspage-format.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { StatusPageDeps } from './deps.ts';
import { sendPublicly } from './json-routes.ts';
import { PUBLIC_QUERY } from './public-query.ts';
import type { StatusReader } from './status-reader.ts';

interface Feed {
  readonly file: string;
  readonly type: string;
  readonly summary: string;
  readonly draw: (view: StatusView, place: StatuspagePlace) => string;
}

/** What programs of people follow, by the end of its address. */
const FEEDS: readonly Feed[] = [
  {
    file: 'feed.atom',
    type: 'application/atom+xml',
    summary: 'Incidents of the status page, as an Atom feed',
    draw: atomFeed,
  },
  {
    file: 'maintenance.ics',
    type: 'text/calendar',
    summary: 'Maintenance of what the status page shows, as iCalendar',
    draw: statusCalendar,
  },
];

const ofOrg = z.strictObject({ org: orgSlugSchema });

export function feedRoutes(deps: StatusPageDeps, reader: StatusReader): readonly Route[] {
  return FEEDS.flatMap((feed) => [
    route(feed, `/${feed.file}`, z.strictObject({}), () => deps.platformOrg, { deps, reader }),
    route(feed, `/status/:org/${feed.file}`, ofOrg, ({ org }) => org, { deps, reader }),
  ]);
}

function route<P extends z.ZodObject>(
  { file, type, summary, draw }: Feed,
  path: string,
  params: P,
  orgOf: (params: z.output<P>) => string,
  { deps, reader }: { readonly deps: StatusPageDeps; readonly reader: StatusReader },
): Route {
  return defineRoute({
    ...{ method: 'get', path, params, tag: 'status page', callers: 'public', polled: true },
    query: PUBLIC_QUERY,
    summary,
    responses: {
      200: { description: summary, schema: z.string(), alternative: { contentType: type, description: summary } },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    handle: async (input) => {
      const org = orgOf(input.params);
      const document = await reader.document(org, file, (view) => draw(view, placeOf(deps, org)));
      return sendPublicly(document, `${type}; charset=utf-8`);
    },
  });
}
