import { z } from 'zod';
import {
  createdInviteSchema,
  createInviteBodySchema,
  inviteParamsSchema,
  inviteViewSchema,
  orgParamsSchema,
} from '../../domain/orgs/schema.ts';
import { isPlatform } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { createInvite, revokeInvite } from './invites.ts';
import { orgRoute } from './org-access.ts';
import { inviteView } from './org-views.ts';

/** Invitations (spec 1, "Identity provider"). */
export function inviteRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'post',
      path: '/api/v2/orgs/:orgSlug/invites',
      summary: 'Invite an address, by mail or with an inviteUrl to pass on',
      description: 'Replaces an open invitation of the address. The answer does not tell whether it has an account.',
      rateLimit: { perMinute: 60 },
      params: orgParamsSchema,
      body: createInviteBodySchema,
      responses: { 201: { description: 'The invitation', schema: createdInviteSchema } },
      errors: ['ORG_NOT_FOUND', 'ROLE_ESCALATION'],
      handle: async ({ body, resource: access }, context) => {
        const { invite, inviteUrl } = await createInvite(deps, context, access, body);
        const isCaptured = inviteUrl === null && deps.mail.outbox !== null && isPlatform(context.caller);
        const outboxUrl = isCaptured ? { outboxUrl: `${deps.settings.issuer}/outbox` } : {};
        return {
          status: 201,
          data: { ...inviteView(invite), ...(inviteUrl === null ? {} : { inviteUrl }), ...outboxUrl },
        };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/invites',
      summary: 'Open invitations',
      params: orgParamsSchema,
      responses: {
        200: { description: 'Newest first', schema: z.object({ items: z.array(inviteViewSchema) }) },
      },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ resource: { org } }) => {
        const invites = await deps.invites.listOpen(org.id, deps.now());
        return { status: 200, data: { items: invites.map(inviteView) } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'delete',
      path: '/api/v2/orgs/:orgSlug/invites/:inviteId',
      summary: 'Withdraw an invitation',
      params: inviteParamsSchema,
      responses: { 200: { description: 'The invitation is withdrawn', schema: z.object({ id: z.string() }) } },
      errors: ['ORG_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params, resource: { org } }, context) => {
        await revokeInvite(deps, context, org, params.inviteId);
        return { status: 200, data: { id: params.inviteId } };
      },
    }),
  ];
}
