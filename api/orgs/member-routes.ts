import { z } from 'zod';
import type { Membership } from '../../domain/orgs/org.ts';
import {
  createOrgUserBodySchema,
  memberParamsSchema,
  memberViewSchema,
  orgParamsSchema,
  putMemberBodySchema,
} from '../../domain/orgs/schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { type Member, putMember, removeMember, requireMember, suspendMember } from './members.ts';
import { requireOrg } from './org-access.ts';
import { memberView } from './org-views.ts';
import { provisionUser, requireProvisioning } from './provision-user.ts';

const tag = 'orgs';
const member = { description: 'The member', schema: memberViewSchema };

/** People in orgs (bodies are ours). */
export function memberRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/members',
      summary: 'Members of an org',
      tag,
      callers: 'authenticated',
      params: orgParamsSchema,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of members', schema: pageSchema(memberViewSchema) } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ params, query }, { caller }) => {
        const { org } = await requireOrg(deps, caller, params.orgSlug, 'member');
        const page = await deps.memberships.listOfOrg(org.id, { cursor: query.cursor ?? null, limit: query.limit });
        const members = await withUsers(deps, page.items);
        return { status: 200, data: { items: members.map(memberView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: 'One member',
      tag,
      callers: 'authenticated',
      params: memberParamsSchema,
      responses: { 200: member },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND'],
      handle: async ({ params }, { caller }) => {
        const { org } = await requireOrg(deps, caller, params.orgSlug, 'member');
        return { status: 200, data: memberView(await requireMember(deps, org, params.userId)) };
      },
    }),
    defineRoute({
      method: 'put',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: "Replace a member's roles and modules",
      description: 'The platform may add someone this way; everybody else invites them. The last admin stays admin.',
      tag,
      callers: 'authenticated',
      params: memberParamsSchema,
      body: putMemberBodySchema,
      responses: { 200: member },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'ROLE_ESCALATION', 'CONFLICT'],
      handle: async ({ params, body }, context) => {
        const access = await requireOrg(deps, context.caller, params.orgSlug, 'admin');
        return { status: 200, data: memberView(await putMember(deps, context, access, params.userId, body)) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: 'Take a member out of the org; anybody may leave',
      tag,
      callers: 'authenticated',
      params: memberParamsSchema,
      responses: { 200: { description: 'Not a member any more', schema: z.object({ userId: z.string() }) } },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params }, context) => {
        const { caller } = context;
        const leaves = caller?.kind === 'user' && caller.userId === params.userId;
        const { org } = await requireOrg(deps, caller, params.orgSlug, leaves ? 'viewer' : 'admin');
        await removeMember(deps, context, org, params.userId);
        return { status: 200, data: { userId: params.userId } };
      },
    }),
    ...([true, false] as const).map((suspended) =>
      defineRoute({
        method: 'post',
        path: `/api/v2/orgs/:orgSlug/members/:userId/${suspended ? 'suspend' : 'restore'}`,
        summary: suspended ? 'Suspend a membership; the account stays' : 'Restore a suspended membership',
        tag,
        callers: 'authenticated',
        params: memberParamsSchema,
        responses: { 200: member },
        errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
        handle: async ({ params }, context) => {
          const { org } = await requireOrg(deps, context.caller, params.orgSlug, 'admin');
          const changed = await suspendMember(deps, context, org, params.userId, suspended);
          return { status: 200, data: memberView(changed) };
        },
      }),
    ),
    defineRoute({
      method: 'post',
      path: '/api/v2/orgs/:orgSlug/users',
      summary: 'Create an account whose person sets its first password through a headless client',
      description: 'For the platform, and for services whose client has the org:manage grant (spec 1, D 5).',
      tag,
      callers: 'authenticated',
      params: orgParamsSchema,
      body: createOrgUserBodySchema,
      responses: { 201: member },
      errors: ['ORG_NOT_FOUND', 'USER_EXISTS', 'ROLE_ESCALATION'],
      handle: async ({ params, body }, context) => {
        const access = await requireProvisioning(deps, context.caller, params.orgSlug);
        return { status: 201, data: memberView(await provisionUser(deps, context, access, body)) };
      },
    }),
  ];
}

async function withUsers(deps: IdentityDeps, memberships: readonly Membership[]): Promise<Member[]> {
  const found = await Promise.all(
    memberships.map(async (membership) => ({ membership, user: await deps.users.find(membership.userId) })),
  );
  return found.flatMap(({ membership, user }) => (user === null ? [] : [{ membership, user }]));
}
