import { z } from 'zod';
import { pulseStatusSchema } from '../../domain/monitors/reply-schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { overallStatus } from '../../domain/status-page/overall-status.ts';
import { readStatus } from '../../domain/status-page/read-status.ts';
import type { StatusView } from '../../domain/status-page/status-view.ts';
import { type Caller, isPlatform } from '../http/caller.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import type { StatusPageDeps } from './deps.ts';
import type { StatusReader } from './status-reader.ts';

/** How everything is, as JSON (spec 3, "Endpoints", "Uptime monitor"). */
export function pulseStatusRoute(deps: StatusPageDeps, reader: StatusReader): Route {
  return defineRoute({
    method: 'get',
    path: '/api/pulse/status',
    summary: 'How everything is',
    description:
      'Without a token, what the public status page of the org shows; with one of a person of the org, or by the platform, every monitor of the org.',
    tag: 'pulse',
    callers: 'public',
    query: z.strictObject({ org: orgSlugSchema.optional().describe("The installation's own, or that of the token") }),
    polled: true,
    responses: { 200: { description: 'The state, and that of each monitor', schema: pulseStatusSchema } },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    handle: async ({ query: { org } }, { caller }) => {
      const asked = org ?? (caller?.org || deps.platformOrg);
      if (!maySeeAll(caller, asked)) return sendPublicPart(await reader.document(asked, 'pulse', drawPublicPart));
      const view = await readStatus(deps, { org: asked, publicOnly: false }, deps.now());
      return { status: 200, data: statusOf(view) };
    },
  });
}

/** In the envelope: drawn once for all who look. */
function drawPublicPart(view: StatusView): string {
  return JSON.stringify({ success: true, data: pulseStatusSchema.parse(statusOf(view)) });
}

function sendPublicPart(json: Buffer): Reply {
  return async (response) => {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', json.length);
    response.end(json);
  };
}

/** People with a role in the org, and the platform. */
function maySeeAll(caller: Caller | null, org: string): boolean {
  if (caller === null) return false;
  return isPlatform(caller) || (caller.kind === 'user' && caller.org === org && caller.role !== null);
}

function statusOf(view: StatusView): z.input<typeof pulseStatusSchema> {
  const { indicator, description } = overallStatus(view.components);
  return {
    org: view.org,
    asOf: view.asOf.toISOString(),
    status: { indicator, description },
    monitors: view.components.map(({ id, name, environment, state, since }) => ({
      ...{ id, name, environment, state, since: since.toISOString() },
    })),
  };
}
