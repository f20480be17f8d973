import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { grantParamsSchema, orgGrantViewSchema, orgParamsSchema } from '../../domain/orgs/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { orgRoute } from './org-access.ts';
import { approveOrgGrant, revokeOrgGrant } from './org-grants.ts';
import { orgGrantView } from './org-views.ts';

const path = '/api/v2/orgs/:orgSlug/grants/:clientId';

/** Which clients manage an org's people: the org:manage grant (spec 1, D 4). */
export function grantRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug/grants',
      summary: "Clients that manage the org's people",
      params: orgParamsSchema,
      responses: { 200: { description: 'By client', schema: z.object({ items: z.array(orgGrantViewSchema) }) } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ resource: { org } }) => {
        const grants = await deps.orgGrants.listOfOrg(org.slug);
        return { status: 200, data: { items: grants.map(orgGrantView) } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'get',
      path,
      summary: 'One grant',
      params: grantParamsSchema,
      responses: { 200: { description: 'The grant', schema: orgGrantViewSchema } },
      errors: ['ORG_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params, resource: { org } }) => {
        const grant = await deps.orgGrants.find(params.clientId, org.slug);
        if (grant === null) throw new FairleadError('NOT_FOUND', `${params.clientId} has no grant on ${org.slug}`);
        return { status: 200, data: orgGrantView(grant) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'put',
      path,
      summary: "Let a client manage the org's people",
      params: grantParamsSchema,
      responses: { 200: { description: 'The grant', schema: orgGrantViewSchema } },
      errors: ['ORG_NOT_FOUND', 'CLIENT_NOT_FOUND'],
      handle: async ({ params, resource: { org } }, context) => {
        return { status: 200, data: orgGrantView(await approveOrgGrant(deps, context, org, params.clientId)) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'delete',
      path,
      summary: "Stop a client from managing the org's people",
      params: grantParamsSchema,
      responses: { 200: { description: 'The grant is gone', schema: z.object({ clientId: z.string() }) } },
      errors: ['ORG_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params, resource: { org } }, context) => {
        await revokeOrgGrant(deps, context, org, params.clientId);
        return { status: 200, data: { clientId: params.clientId } };
      },
    }),
  ];
}
