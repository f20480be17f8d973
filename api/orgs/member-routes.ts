import { z } from 'zod';
import type { Membership } from '../../domain/orgs/org.ts';
import { orgNotFound } from '../../domain/orgs/org-not-found.ts';
import {
  createOrgUserBodySchema,
  memberParamsSchema,
  memberQuerySchema,
  memberViewSchema,
  orgParamsSchema,
  putMemberBodySchema,
} from '../../domain/orgs/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { isPerson } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { type Member, putMember, removeMember, requireMember, suspendMember } from './members.ts';
import { orgRoute, requireOrg } from './org-access.ts';
import { memberView } from './org-views.ts';
import { provisionUser, requireProvisioning } from './provision-user.ts';

const member = { description: 'The member', schema: memberViewSchema };

/** People in orgs (bodies are ours). */
export function memberRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...orgRoute(deps, 'member'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/members',
      summary: 'Members of an org',
      params: orgParamsSchema,
      query: memberQuerySchema,
      responses: { 200: { description: 'A page of members', schema: pageSchema(memberViewSchema) } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ query, resource: { org } }) => {
        const page =
          query.ids === undefined
            ? await deps.memberships.listOfOrg(org.id, { cursor: query.cursor ?? null, limit: query.limit })
            : { items: await membershipsOf(deps, org.id, query.ids), nextCursor: null };
        const members = await withUsers(deps, page.items);
        return { status: 200, data: { items: members.map(memberView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'member'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: 'One member',
      params: memberParamsSchema,
      responses: { 200: member },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND'],
      handle: async ({ params, resource: { org } }) => {
        return { status: 200, data: memberView(await requireMember(deps, org, params.userId)) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'put',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: "Replace a member's roles and modules",
      description:
        'The platform may add someone this way; everybody else invites them. The last admin stays admin. With `before` it is a conditional change: CONFLICT when the member has other roles or modules by now.',
      params: memberParamsSchema,
      body: putMemberBodySchema,
      responses: { 200: member },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'ROLE_ESCALATION', 'CONFLICT'],
      handle: async ({ params, body, resource: access }, context) => {
        return { status: 200, data: memberView(await putMember(deps, context, access, params.userId, body)) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'delete',
      path: '/api/v2/orgs/:orgSlug/members/:userId',
      summary: 'Remove a member from the org; members may remove themselves',
      params: memberParamsSchema,
      responses: { 200: { description: 'The member is removed', schema: z.object({ userId: z.string() }) } },
      errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
      resource: ({ params }, { caller }) => {
        const leaves = isPerson(caller) && caller.userId === params.userId;
        return requireOrg(deps, caller, params.orgSlug, leaves ? 'viewer' : 'admin', { anyLogin: leaves });
      },
      handle: async ({ params, resource: { org } }, context) => {
        await removeMember(deps, context, org, params.userId);
        return { status: 200, data: { userId: params.userId } };
      },
    }),
    ...([true, false] as const).map((suspended) =>
      defineRoute({
        ...orgRoute(deps, 'admin'),
        method: 'post',
        path: `/api/v2/orgs/:orgSlug/members/:userId/${suspended ? 'suspend' : 'restore'}`,
        summary: suspended ? 'Suspend a membership; the account stays' : 'Restore a suspended membership',
        params: memberParamsSchema,
        responses: { 200: member },
        errors: ['ORG_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT'],
        handle: async ({ params, resource: { org } }, context) => {
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
      tag: 'orgs',
      callers: { ...ADMINISTRATORS, 'platform-service': true, service: true },
      refusal: orgNotFound,
      params: orgParamsSchema,
      body: createOrgUserBodySchema,
      responses: { 201: member },
      errors: ['ORG_NOT_FOUND', 'USER_EXISTS', 'ROLE_ESCALATION'],
      resource: ({ params }, { caller }) => requireProvisioning(deps, caller, params.orgSlug),
      handle: async ({ body, resource: access }, context) => {
        return { status: 201, data: memberView(await provisionUser(deps, context, access, body)) };
      },
    }),
  ];
}

async function membershipsOf(
  deps: IdentityDeps,
  orgId: string,
  ids: readonly string[],
): Promise<readonly Membership[]> {
  return (await deps.memberships.listOfUsers(ids)).filter((membership) => membership.orgId === orgId);
}

async function withUsers(deps: IdentityDeps, memberships: readonly Membership[]): Promise<Member[]> {
  const found = await Promise.all(
    memberships.map(async (membership) => ({ membership, user: await deps.users.find(membership.userId) })),
  );
  return found.flatMap(({ membership, user }) => (user === null ? [] : [{ membership, user }]));
}
