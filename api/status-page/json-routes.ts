import { z } from 'zod';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { placeOf } from '../../domain/status-page/status-place.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import { statuspageIncidents, statuspageSummary } from '../../domain/status-page/statuspage-format.ts';
import {
  componentsSchema,
  incidentsSchema,
  maintenancesSchema,
  type StatuspageSummary,
  statusSchema,
  summarySchema,
} from '../../domain/status-page/statuspage-schema.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import type { StatusPageDeps } from './deps.ts';
import { PUBLIC_QUERY } from './public-query.ts';
import type { StatusReader } from './status-reader.ts';

interface Document {
  readonly file: string;
  readonly summary: string;
  readonly schema: z.ZodType;
  readonly data: (whole: Whole) => unknown;
}

/** Everything that the documents are parts of. */
interface Whole extends StatuspageSummary {
  /** Open and past incidents. */
  readonly all: StatuspageSummary['incidents'];
}

const NO_MAINTENANCES = {
  schema: maintenancesSchema,
  data: ({ page }: Whole) => ({ page, scheduled_maintenances: [] }),
};

/** The documents of Statuspage, version 2, by the end of their address. */
const DOCUMENTS: readonly Document[] = [
  { file: 'summary.json', summary: 'Everything', schema: summarySchema, data: (whole) => whole },
  { file: 'status.json', summary: 'The state in one word', schema: statusSchema, data: (whole) => whole },
  { file: 'components.json', summary: 'The components', schema: componentsSchema, data: (whole) => whole },
  {
    ...{ file: 'incidents.json', summary: 'Incidents, open and past', schema: incidentsSchema },
    data: ({ page, all }) => ({ page, incidents: all }),
  },
  {
    ...{ file: 'incidents/unresolved.json', summary: 'Incidents that are open', schema: incidentsSchema },
    data: (whole) => whole,
  },
  { file: 'scheduled-maintenances.json', summary: 'Maintenances: none are told ahead yet', ...NO_MAINTENANCES },
  { file: 'scheduled-maintenances/upcoming.json', summary: 'Maintenances to come', ...NO_MAINTENANCES },
  { file: 'scheduled-maintenances/active.json', summary: 'Maintenances that run', ...NO_MAINTENANCES },
];

const ofOrg = z.strictObject({ org: orgSlugSchema });

/** A status page as clients of Statuspage read it: below its own address, bare, for pages of every origin. */
export function statuspageRoutes(deps: StatusPageDeps, reader: StatusReader): readonly Route[] {
  return DOCUMENTS.flatMap((document) => [
    route(document, `/api/v2/${document.file}`, z.strictObject({}), () => deps.platformOrg, { deps, reader }),
    route(document, `/status/:org/api/v2/${document.file}`, ofOrg, ({ org }) => org, { deps, reader }),
  ]);
}

function route<P extends z.ZodObject>(
  { file, summary, schema, data }: Document,
  path: string,
  params: P,
  orgOf: (params: z.output<P>) => string,
  { deps, reader }: { readonly deps: StatusPageDeps; readonly reader: StatusReader },
): Route {
  return defineRoute({
    ...{ method: 'get', path, params, tag: 'statuspage', callers: 'public', replies: 'bare', polled: true },
    query: PUBLIC_QUERY,
    summary: `${summary}, as Statuspage shows it`,
    responses: { 200: { description: summary, schema } },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    handle: async (input) => {
      const org = orgOf(input.params);
      const draw = (view: StatusView): string => JSON.stringify(schema.parse(data(wholeOf(deps, view, org))));
      return sendPublicly(await reader.document(org, file, draw));
    },
  });
}

function wholeOf(deps: StatusPageDeps, view: StatusView, org: string): Whole {
  const place = placeOf(deps, org);
  return {
    ...statuspageSummary(view, place),
    all: statuspageIncidents(view, [...view.open, ...view.past], place),
  };
}

/** What everybody may read, from pages of other sites too, and keep for some seconds. */
export function sendPublicly(document: Buffer, type = 'application/json; charset=utf-8'): Reply {
  return async (response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Cache-Control', 'public, max-age=10');
    response.setHeader('Content-Type', type);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Length', document.length);
    response.end(document);
  };
}
