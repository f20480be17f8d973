import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { userViewSchema } from '../../domain/identity/schema.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { PLATFORM_ROLES } from '../../domain/roles.ts';
import { nameOf } from '../orgs/people-words.ts';
import { type Action, type ActionContext, type ActionSent, defineAction } from '../page.ts';
import { personPage } from './people-page.ts';
import { personApi } from './person-page.ts';

const params = z.strictObject({ id: z.string().max(64) });
const backTo = ({ id }: { readonly id: string }): string => personPage(id);
const CALLERS = { 'platform-admin': true } as const;
const ended = z.object({ id: z.string() });

/** A form of one person that has no fields. */
function personAction(
  rest: string,
  summary: string,
  run: (id: string, context: ActionContext) => Promise<string>,
): Action {
  return defineAction({
    module: 'people',
    path: `/people/:id/${rest}`,
    summary,
    callers: CALLERS,
    params,
    back: backTo,
    run: async (context): Promise<ActionSent> => {
      const { id } = context.params;
      return { to: personPage(id), notice: await run(id, context) };
    },
  });
}

const beforeSchema = z.object({ platformRoles: z.array(z.string()) });

const setRoles = defineAction({
  module: 'people',
  path: '/people/:id/platform-roles',
  summary: 'Sets the platform roles of a person',
  callers: CALLERS,
  params,
  body: z.looseObject({ before: z.string().max(4_000) }),
  back: backTo,
  run: async ({ platform, params: { id }, body: { before, ...fields } }) => {
    const read = beforeSchema.safeParse(parseJson(before));
    if (!read.success) throw new FairleadError('VALIDATION_FAILED', 'Load the page again and repeat the change');
    const platformRoles = PLATFORM_ROLES.filter((role) => fields[`role.${role}`] === 'on');
    const body = { platformRoles, before: read.data };
    const user = await platform.send('idp', 'PATCH', personApi(id), userViewSchema, { body });
    return { to: personPage(id), notice: `The roles of ${nameOf(user)} are saved.` };
  },
});

const setName = defineAction({
  module: 'people',
  path: '/people/:id/name',
  summary: 'Changes the name of a person',
  callers: CALLERS,
  params,
  body: z.object({ firstName: z.string().max(200), lastName: z.string().max(200) }),
  back: backTo,
  run: async ({ platform, params: { id }, body }) => {
    await platform.send('idp', 'PATCH', personApi(id), userViewSchema, { body });
    return { to: personPage(id), notice: 'The name is saved.' };
  },
});

const endSession = defineAction({
  module: 'people',
  path: '/people/:id/sessions/:sessionId/end',
  summary: 'Ends one session of a person',
  callers: CALLERS,
  params: params.extend({ sessionId: z.string().max(64) }),
  back: backTo,
  run: async ({ platform, params: { id, sessionId } }) => {
    await platform.send('idp', 'DELETE', personApi(id, 'sessions', sessionId), ended);
    return { to: personPage(id), notice: 'The session is over.' };
  },
});

export const personActions: readonly Action[] = [
  ...[setRoles, setName, endSession],
  personAction('sessions/end', 'Signs a person out everywhere', async (id, { platform }) => {
    await platform.send('idp', 'DELETE', personApi(id, 'sessions'), ended);
    return 'They are signed out everywhere.';
  }),
  personAction('suspend', 'Suspends the account of a person', async (id, { platform }) => {
    await platform.send('idp', 'POST', personApi(id, 'suspend'), userViewSchema);
    return 'The account is suspended.';
  }),
  personAction('restore', 'Restores the account of a person', async (id, { platform }) => {
    await platform.send('idp', 'POST', personApi(id, 'restore'), userViewSchema);
    return 'The account is restored.';
  }),
  personAction('reset-second-factor', 'Removes the second factor of a person', async (id, { platform }) => {
    await platform.send('idp', 'POST', personApi(id, 'reset-second-factor'), userViewSchema);
    return 'The second factor is removed. A mail says how to choose a new password.';
  }),
];
