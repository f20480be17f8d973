import { z } from 'zod';
import { idSchema, loginsViewSchema, updateUserBodySchema, userViewSchema } from '../../../domain/identity/schema.ts';
import { pageQueryShape, pageSchema } from '../../../domain/page-schema.ts';
import { ADMINISTRATORS } from '../../http/allowed-callers.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { changeUser, requireUser, suspendUser } from './change-user.ts';
import { endLogins, listLogins, resetSecondFactor } from './help-person.ts';
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
      description:
        'CONFLICT when no super admin would be left, and when somebody else changes the platform roles at the same time, or, with `before`, has changed them since they were read.',
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
    ...helpRoutes(deps),
  ];
}

function helpRoutes(deps: IdentityDeps): readonly Route[] {
  const helped = async (id: string) => ({ user: await requireUser(deps, id), org: null });
  const row = { tag, callers: ADMINISTRATORS, params, errors: ['USER_NOT_FOUND'] } as const;
  return [
    defineRoute({
      ...row,
      method: 'get',
      path: '/api/v2/users/:id/sessions',
      summary: 'Where a user is signed in; of a super admin, for super admins',
      responses: { 200: { description: 'Sessions and applications', schema: loginsViewSchema } },
      handle: async (input, context) => {
        return { status: 200, data: await listLogins(deps, context, await helped(input.params.id)) };
      },
    }),
    defineRoute({
      ...row,
      method: 'delete',
      path: '/api/v2/users/:id/sessions',
      summary: 'Sign a user out everywhere: all sessions and applications',
      responses: { 200: { description: 'They are over', schema: z.object({ id: z.string() }) } },
      handle: async ({ params: { id } }, context) => {
        await endLogins(deps, context, await helped(id), null);
        return { status: 200, data: { id } };
      },
    }),
    defineRoute({
      ...row,
      method: 'delete',
      path: '/api/v2/users/:id/sessions/:sessionId',
      summary: 'End one session of a user, with the logins made in it',
      params: params.extend({ sessionId: idSchema }),
      responses: { 200: { description: 'It is over', schema: z.object({ id: z.string() }) } },
      errors: ['USER_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params: { id, sessionId } }, context) => {
        await endLogins(deps, context, await helped(id), sessionId);
        return { status: 200, data: { id: sessionId } };
      },
    }),
    defineRoute({
      ...row,
      method: 'post',
      path: '/api/v2/users/:id/reset-second-factor',
      summary: 'Remove the second factor and the password of a user, who chooses a new one by mail',
      description: 'Signs them out everywhere. Of a super admin, for other super admins; nobody does so for themself.',
      responses: { 200: user },
      errors: ['USER_NOT_FOUND', 'CONFLICT'],
      handle: async (input, context) => {
        const after = await resetSecondFactor(deps, context, await helped(input.params.id));
        return { status: 200, data: userView(after) };
      },
    }),
  ];
}
