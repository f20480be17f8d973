import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { idSchema, meSchema, sessionViewSchema, updateMeBodySchema } from '../../../domain/identity/schema.ts';
import { PEOPLE } from '../../http/allowed-callers.ts';
import type { PersonCaller } from '../../http/caller.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { revokeSession } from '../revocation/revoke.ts';
import { findMemberships } from '../tokens/token-person.ts';
import { requireUser } from './change-user.ts';
import { choosePrimaryOrg } from './choose-org.ts';
import { sessionView, userView } from './user-views.ts';

const tag = 'people';

/** The signed-in person's own record and sessions (bodies are ours). */
export function meRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/v2/me',
      summary: 'Who the caller is, and the orgs they are in',
      tag,
      callers: PEOPLE,
      responses: { 200: { description: 'The person', schema: meSchema } },
      handle: async (_input, { caller }) => ({ status: 200, data: await describeMe(deps, caller) }),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/v2/me',
      summary: 'Choose the primary org: the one that tokens name from now on',
      tag,
      callers: PEOPLE,
      body: updateMeBodySchema,
      responses: { 200: { description: 'The person as they are now', schema: meSchema } },
      errors: ['ORG_NOT_FOUND'],
      handle: async ({ body }, context) => {
        const { caller } = context;
        await choosePrimaryOrg(deps, context, caller.userId, body.primaryOrg);
        return { status: 200, data: await describeMe(deps, caller) };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/v2/me/sessions',
      summary: "The caller's browser sessions, newest first",
      tag,
      callers: PEOPLE,
      responses: {
        200: { description: 'Live sessions', schema: z.object({ items: z.array(sessionViewSchema) }) },
      },
      handle: async (_input, { caller }) => {
        const sessions = await deps.sessions.listOfUser(caller.userId, deps.now());
        return { status: 200, data: { items: sessions.map(sessionView) } };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/v2/me/sessions/:id',
      summary: 'End one of the sessions, with the logins made in it',
      tag,
      callers: PEOPLE,
      params: z.strictObject({ id: idSchema }),
      responses: { 200: { description: 'It is over', schema: z.object({ id: z.string() }) } },
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }, context) => {
        const session = await deps.sessions.find(id);
        if (session === null || session.userId !== context.caller.userId) {
          throw new FairleadError('NOT_FOUND', 'You have no such session');
        }
        await revokeSession(deps, context, id);
        return { status: 200, data: { id } };
      },
    }),
  ];
}

async function describeMe(deps: IdentityDeps, caller: PersonCaller): Promise<z.input<typeof meSchema>> {
  const user = await requireUser(deps, caller.userId);
  const { live } = await findMemberships(deps, user.id);
  return {
    ...userView(user),
    orgs: live.map(({ membership, org }) => ({
      orgSlug: org.slug,
      orgId: org.id,
      orgName: org.name,
      roles: [...membership.roles],
      modules: [...membership.modules],
    })),
    secondFactor: {
      totp: user.totp !== null && user.totp.confirmedAt !== null,
      passkeys: user.passkeys.length,
      recoveryCodes: user.recoveryCodes.length,
    },
  };
}
