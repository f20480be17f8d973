import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import { PAGE_RESPONSES } from '../http/pages/page-responses.ts';
import type { StatusPageDeps } from './deps.ts';
import { PUBLIC_QUERY } from './public-query.ts';
import { STATUS_PAGE_HEADERS } from './status-document.ts';
import type { StatusReader } from './status-reader.ts';

const row = {
  tag: 'status page',
  callers: 'public',
  replies: 'page',
  responses: PAGE_RESPONSES,
  polled: true,
} as const;
const query = PUBLIC_QUERY.extend({ page: z.coerce.number().int().min(1).max(1_000).default(1) });

/** The public status pages: of the installation's own org, and of each other one. */
export function statusPageRoutes(deps: StatusPageDeps, reader: StatusReader): readonly Route[] {
  return [
    defineRoute({
      ...{ ...row, method: 'get', path: '/', query },
      summary: 'The status page of the org that runs the installation',
      errors: ['NOT_FOUND', 'UNAVAILABLE'],
      handle: ({ query: { page } }) => statusPage(deps, reader, deps.platformOrg, page),
    }),
    defineRoute({
      ...{ ...row, method: 'get', path: '/status/:org', query },
      summary: 'The status page of an org',
      params: z.strictObject({ org: orgSlugSchema }),
      errors: ['NOT_FOUND', 'UNAVAILABLE'],
      handle: ({ params: { org }, query: { page } }) => statusPage(deps, reader, org, page),
    }),
    changelogRoute(reader),
  ];
}

/** The page as it is; where it cannot be read, the copy of it, which says when it was made. */
async function statusPage(deps: StatusPageDeps, reader: StatusReader, org: string, number: number): Promise<Reply> {
  try {
    const { html } = await reader.page(org, number);
    return sendStatusPage(html, 'public, max-age=10');
  } catch (error) {
    const copy = isRefusal(error) ? null : await deps.snapshots.find(org);
    if (copy === null) throw error;
    deps.log.warn({ err: error, org }, 'a status page cannot be read: its copy is shown');
    return sendStatusPage(copy, 'no-store');
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FairleadError && error.code === 'NOT_FOUND';
}

const HEADERS = Object.entries(STATUS_PAGE_HEADERS);

/** In one write, past what Express's own `send` finds out of each reply. */
function sendStatusPage(page: Buffer | string, cacheControl: string): Reply {
  const bytes = typeof page === 'string' ? Buffer.from(page) : page;
  return async (response) => {
    for (const [name, value] of HEADERS) response.setHeader(name, value);
    response.setHeader('Cache-Control', cacheControl);
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  };
}

/** The whole changelog of a service that a page shows: the registry shows it to everybody. */
function changelogRoute(reader: StatusReader): Route {
  return defineRoute({
    ...{ ...row, method: 'get', path: '/changelog/:service', query: PUBLIC_QUERY },
    summary: 'All of what is new in a service that a status page shows',
    params: z.strictObject({ service: serviceNameSchema }),
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    handle: async ({ params: { service } }) => sendStatusPage(await reader.changelog(service), 'public, max-age=60'),
  });
}
