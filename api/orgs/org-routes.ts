import { z } from 'zod';
import { admitsLogin } from '../../domain/orgs/policy.ts';
import { createOrgBodySchema, orgParamsSchema, orgViewSchema, updateOrgBodySchema } from '../../domain/orgs/schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { ADMINISTRATORS, ANYONE_KNOWN } from '../http/allowed-callers.ts';
import { isAdministrator } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { findMemberships } from '../identity/tokens/token-person.ts';
import { orgRoute } from './org-access.ts';
import { orgView } from './org-views.ts';
import { createOrg, updateOrg } from './update-org.ts';

/** Orgs themselves (bodies are ours: spec 1 shows only their slugs). */
export function orgRecordRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/v2/orgs',
      summary: 'Create an org',
      description: 'It has no members yet: invite its first admin.',
      tag: 'orgs',
      callers: ADMINISTRATORS,
      body: createOrgBodySchema,
      responses: { 201: { description: 'The org', schema: orgViewSchema } },
      errors: ['ORG_EXISTS'],
      handle: async ({ body }, context) => {
        return { status: 201, data: orgView(await createOrg(deps, context, body)) };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/v2/orgs',
      summary: 'Orgs the caller is in; all of them for the platform',
      tag: 'orgs',
      callers: ANYONE_KNOWN,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of orgs', schema: pageSchema(orgViewSchema) } },
      handle: async ({ query }, { caller }) => {
        if (isAdministrator(caller)) {
          const page = await deps.orgs.list({ cursor: query.cursor ?? null, limit: query.limit });
          return { status: 200, data: { items: page.items.map(orgView), nextCursor: page.nextCursor } };
        }
        // A person is in a handful of orgs: they come on one page. A service is a member of none.
        const all = caller.kind === 'user' ? (await findMemberships(deps, caller.userId)).live : [];
        const login = caller.kind === 'user' ? caller.login : undefined;
        const live = all.filter(({ org }) => admitsLogin(org.policy, login, deps.now()));
        return { status: 200, data: { items: live.map(({ org }) => orgView(org)), nextCursor: null } };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'viewer'),
      method: 'get',
      path: '/api/v2/orgs/:orgSlug',
      summary: 'One org',
      params: orgParamsSchema,
      responses: { 200: { description: 'The org', schema: orgViewSchema } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ resource: { org } }) => {
        return { status: 200, data: orgView(org) };
      },
    }),
    defineRoute({
      ...orgRoute(deps, 'admin'),
      method: 'patch',
      path: '/api/v2/orgs/:orgSlug',
      summary: 'Change an org: its look and mail (its admins), its modules and suspension (the platform)',
      params: orgParamsSchema,
      body: updateOrgBodySchema,
      responses: { 200: { description: 'The org as it is now', schema: orgViewSchema } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ body, resource: access }, context) => {
        return { status: 200, data: orgView(await updateOrg(deps, context, access, body)) };
      },
    }),
  ];
}
