import { z } from 'zod';
import { idSchema, updateUserBodySchema, userViewSchema } from '../../../domain/identity/schema.ts';
import { pageQueryShape, pageSchema } from '../../../domain/page-schema.ts';
import { ADMINISTRATORS } from '../../http/allowed-callers.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { changeUser, requireUser, suspendUser } from './change-user.ts';
import { userView } from './user-views.ts';

const tag = 'people';
const params = z.strictObject({ id: idSchema });
const user = { description: 'The user', schema: userViewSchema };

/** People, for the platform (bodies are ours). */
export function userRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/v2/users',
      summary: 'Users by address',
      tag,
      callers: ADMINISTRATORS,
      query: z.strictObject({
        ...pageQueryShape,
        query: z.string().min(1).max(254).optional().describe('What the address begins with'),
      }),
      responses: { 200: { description: 'A page of users', schema: pageSchema(userViewSchema) } },
      handle: async ({ query }) => {
        const filter = { query: query.query?.trim().toLowerCase() ?? null };
        const page = await deps.users.list(filter, { cursor: query.cursor ?? null, limit: query.limit });
        return { status: 200, data: { items: page.items.map(userView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/v2/users/:id',
      summary: 'One user',
      tag,
      callers: ADMINISTRATORS,
      params,
      responses: { 200: user },
      errors: ['USER_NOT_FOUND'],
      handle: async (input) => {
        return { status: 200, data: userView(await requireUser(deps, input.params.id)) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/v2/users/:id',
      summary: "Change a user's name, or platform roles (super admins only)",
      tag,
      callers: ADMINISTRATORS,
      params,
      body: updateUserBodySchema,
      responses: { 200: user },
      errors: ['USER_NOT_FOUND', 'ROLE_ESCALATION', 'CONFLICT'],
      handle: async (input, context) => {
        return { status: 200, data: userView(await changeUser(deps, context, input.params.id, input.body)) };
      },
    }),
    ...([true, false] as const).map((suspended) =>
      defineRoute({
        method: 'post',
        path: `/api/v2/users/:id/${suspended ? 'suspend' : 'restore'}`,
        summary: suspended ? 'Suspend a user: every session, login and token of theirs ends' : 'Restore a user',
        tag,
        callers: ADMINISTRATORS,
        params,
        responses: { 200: user },
        errors: ['USER_NOT_FOUND', 'CONFLICT'],
        handle: async (input, context) => {
          return { status: 200, data: userView(await suspendUser(deps, context, input.params.id, suspended)) };
        },
      }),
    ),
  ];
}
