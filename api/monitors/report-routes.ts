import { z } from 'zod';
import { limitAtOnce } from '../../domain/limit-at-once.ts';
import { cutPercent } from '../../domain/monitors/cut-percent.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { monthOf, type ReportRow, rangeOfMonth, reportRow } from '../../domain/monitors/monthly-report.ts';
import { reportRowSchema } from '../../domain/monitors/reply-schema.ts';
import { monthSchema } from '../../domain/monitors/schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import type { PageRequest } from '../../domain/page.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { Caller } from '../http/caller.ts';
import { csvLine, sendCsv } from '../http/csv.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { createOrgLimit } from '../http/org-limit.ts';
import type { MonitorsDeps } from './deps.ts';
import { READERS, readableOrg } from './monitor-callers.ts';

const PATH = '/api/monitor-reports';
const row = { tag: 'monitors', callers: READERS, method: 'get' } as const;
/** Monitors whose days are read at once. */
const AT_ONCE = 10;
/** Of a report that is read whole. */
const PAGE = 200;

const query = z.strictObject({
  month: monthSchema.optional(),
  org: orgSlugSchema.optional().describe('For the platform: of this org alone'),
});

/** How the monitors of an org were in a month: for whoever has promised something. */
export function reportRoutes(deps: MonitorsDeps): readonly Route[] {
  return [jsonRoute(deps), csvRoute(deps)];
}

function jsonRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    ...{ ...row, path: PATH },
    summary: 'How the monitors of the org were in a month, by name',
    description:
      'Uptime is time: up / (up + down), without maintenance and without what nothing is known of; `coverage` says how much is known.',
    query: query.extend(pageQueryShape),
    responses: {
      200: { description: 'A page of them', schema: pageSchema(reportRowSchema).extend({ month: z.string() }) },
    },
    handle: async ({ query: { month, org, cursor = null, limit } }, { caller, gone }) => {
      const asked = month ?? monthOf(deps.now());
      const { items, nextCursor } = await list(deps, caller, org, { cursor, limit });
      return { status: 200, data: { month: asked, items: await rowsOf(deps, asked, items, gone), nextCursor } };
    },
  });
}

/** Reports of all monitors that an org reads in a minute: each is as much work for the database as all of its pages. */
export const MOST_REPORTS = 10;

function csvRoute(deps: MonitorsDeps): Route {
  const count = createOrgLimit(MOST_REPORTS, 'reports as CSV');
  return defineRoute({
    ...{ ...row, path: `${PATH}.csv` },
    summary: 'The same of all monitors of the org, as CSV (RFC 4180) that no spreadsheet runs',
    description: `${MOST_REPORTS} of one org in a minute.`,
    query,
    errors: ['RATE_LIMITED'],
    responses: {
      200: {
        description: 'The report',
        schema: z.string(),
        alternative: { contentType: 'text/csv', description: 'A header, and a line each' },
      },
    },
    handle: async ({ query: { month, org } }, { caller, gone }) => {
      count(readableOrg(caller));
      const asked = month ?? monthOf(deps.now());
      const lines = [csvLine(COLUMNS.map(([title]) => title))];
      let cursor: string | null = null;
      do {
        const { items, nextCursor } = await list(deps, caller, org, { cursor, limit: PAGE });
        for (const each of await rowsOf(deps, asked, items, gone))
          lines.push(csvLine(COLUMNS.map(([, of]) => of(each))));
        cursor = nextCursor;
      } while (cursor !== null);
      return async (response) => sendCsv(response, `monitors-${asked}.csv`, lines);
    },
  });
}

const SECOND_MS = 1_000;
const COLUMNS: readonly (readonly [string, (row: ReportRow) => string])[] = [
  ['monitor', ({ name }) => name],
  ['environment', ({ environment }) => environment],
  ['org', ({ org }) => org ?? ''],
  ['uptimePercent', ({ uptime }) => (uptime === null ? '' : percent(uptime))],
  ['objectivePercent', ({ targetPercent }) => String(targetPercent ?? '')],
  ['met', ({ met }) => (met === null ? '' : met ? 'yes' : 'no')],
  ['downSeconds', ({ downMs }) => String(Math.round(downMs / SECOND_MS))],
  ['maintenanceSeconds', ({ maintenanceMs }) => String(Math.round(maintenanceMs / SECOND_MS))],
  ['knownPercent', ({ coverage }) => percent(coverage)],
  ['id', ({ id }) => id],
];

function percent(share: number): string {
  return String(cutPercent(share, 3));
}

function list({ monitors }: MonitorsDeps, caller: Caller, org: string | undefined, page: PageRequest) {
  return monitors.list({ org: readableOrg(caller) ?? org ?? null, archived: false }, page);
}

async function rowsOf(
  { history, now }: MonitorsDeps,
  month: string,
  monitors: readonly Monitor[],
  signal: AbortSignal,
): Promise<ReportRow[]> {
  const { from, to } = rangeOfMonth(month);
  const at = now();
  const limit = limitAtOnce(AT_ONCE);
  const row = async (monitor: Monitor) => reportRow(monitor, await history.between(monitor.id, from, to, at));
  return await Promise.all(monitors.map((monitor) => limit(() => row(monitor), signal)));
}
