import { z } from 'zod';
import { ORG_EVENTS } from '../../domain/audit/org-events.ts';
import { idSchema, loginsViewSchema } from '../../domain/identity/schema.ts';
import { memberParamsSchema, memberViewSchema, orgEventViewSchema, orgParamsSchema } from '../../domain/orgs/schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { endLogins, listLogins, resetSecondFactor } from '../identity/account/help-person.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { requireMember } from './members.ts';
import { type OrgAccess, orgRoute } from './org-access.ts';
import { memberView, orgEventView } from './org-views.ts';

const path = '/api/v2/orgs/:orgSlug/members/:userId';
const errors = ['ORG_NOT_FOUND', 'USER_NOT_FOUND'] as const;
const description = 'For people who are in this org alone and have no role on the platform.';

/** What the admins of an org do for its people, and what they read of its audit trail (bodies are ours). */
export function helpRoutes(deps: IdentityDeps): readonly Route[] {
  const helped = async ({ org }: OrgAccess, userId: string) => {
    const { user } = await requireMember(deps, org, userId);
    return { user, org };
  };
  return [
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'get',
      path: `${path}/sessions`,
      summary: 'Where a member is signed in',
      description,
      params: memberParamsSchema,
      responses: { 200: { description: 'Sessions and applications', schema: loginsViewSchema } },
      errors,
      handle: async ({ params, resource }, context) => {
        return { status: 200, data: await listLogins(deps, context, await helped(resource, params.userId)) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'delete',
      path: `${path}/sessions`,
      summary: 'Sign a member out everywhere: all sessions and applications',
      description,
      params: memberParamsSchema,
      responses: { 200: { description: 'They are over', schema: z.object({ userId: z.string() }) } },
      errors,
      handle: async ({ params: { userId }, resource }, context) => {
        await endLogins(deps, context, await helped(resource, userId), null);
        return { status: 200, data: { userId } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'delete',
      path: `${path}/sessions/:sessionId`,
      summary: 'End one session of a member, with the logins made in it',
      description,
      params: memberParamsSchema.extend({ sessionId: idSchema }),
      responses: { 200: { description: 'It is over', schema: z.object({ id: z.string() }) } },
      errors: [...errors, 'NOT_FOUND'],
      handle: async ({ params: { userId, sessionId }, resource }, context) => {
        await endLogins(deps, context, await helped(resource, userId), sessionId);
        return { status: 200, data: { id: sessionId } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'post',
      path: `${path}/reset-second-factor`,
      summary: 'Remove the second factor and the password of a member, who chooses a new one by mail',
      description: `${description} Signs them out everywhere. Nobody does so for themself.`,
      params: memberParamsSchema,
      responses: { 200: { description: 'The member', schema: memberViewSchema } },
      errors: [...errors, 'CONFLICT'],
      handle: async ({ params: { userId }, resource }, context) => {
        await resetSecondFactor(deps, context, await helped(resource, userId));
        return { status: 200, data: memberView(await requireMember(deps, resource.org, userId)) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/audit-events',
      summary: 'What was changed in the org, its people and its clients, newest first',
      params: orgParamsSchema,
      query: z.strictObject({ ...pageQueryShape, type: z.string().min(1).max(100).optional() }),
      responses: { 200: { description: 'A page of events', schema: pageSchema(orgEventViewSchema) } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ query: { type, cursor = null, limit }, resource: { org } }) => {
        const filter = { orgSlug: org.slug, types: ORG_EVENTS, ...(type === undefined ? {} : { type }) };
        const { items, nextCursor } = await deps.audit.list(filter, { cursor, limit });
        return { status: 200, data: { items: items.map(orgEventView), nextCursor } };
      },
    }),
  ];
}
