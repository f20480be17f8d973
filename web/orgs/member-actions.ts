import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { memberViewSchema, orgRoleSchema } from '../../domain/orgs/schema.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { type Action, type ActionContext, type ActionSent, defineAction } from '../page.ts';
import { orgApi, orgPage } from './org-access.ts';
import { nameOf } from './people-words.ts';

const params = z.strictObject({ slug: z.string().max(63), userId: z.string().max(64) });
type Params = z.output<typeof params>;

const beforeSchema = z.object({ roles: z.array(z.string()), modules: z.array(z.string()) });
const userSchema = z.object({ userId: z.string() });
const memberOf = ({ slug, userId }: Params): string => orgPage(slug, 'members', userId);
const apiOf = ({ slug, userId }: Params, ...rest: readonly string[]): string =>
  orgApi(slug, 'members', userId, ...rest);

/** A form of one member, below their page. */
function memberAction(
  rest: string,
  summary: string,
  run: (params: Params, context: ActionContext) => Promise<ActionSent>,
): Action {
  return defineAction({
    module: 'orgs',
    path: `/orgs/:slug/members/:userId/${rest}`,
    summary,
    params,
    back: memberOf,
    run: (context) => run(context.params, context),
  });
}

const setRights = defineAction({
  module: 'orgs',
  path: '/orgs/:slug/members/:userId/rights',
  summary: 'Sets the role and modules of a member',
  params,
  body: z.looseObject({ role: orgRoleSchema, before: z.string().max(4_000) }),
  back: memberOf,
  run: async ({ platform, params: place, body: { role, before, ...fields } }) => {
    const read = beforeSchema.safeParse(parseJson(before));
    if (!read.success) throw new FairleadError('VALIDATION_FAILED', 'Load the page again and repeat the change');
    const modules = Object.keys(fields).flatMap((field) => (field.startsWith('module.') ? [field.slice(7)] : []));
    const member = await platform.send('idp', 'PUT', apiOf(place), memberViewSchema, {
      body: { roles: [role], modules, before: read.data },
    });
    return { to: memberOf(place), notice: `The role of ${nameOf(member)} is saved.` };
  },
});

const suspend = memberAction('suspend', 'Suspends a membership', async (place, { platform }) => {
  await platform.send('idp', 'POST', apiOf(place, 'suspend'), memberViewSchema);
  return { to: memberOf(place), notice: 'The membership is suspended.' };
});

const restore = memberAction('restore', 'Restores a membership', async (place, { platform }) => {
  await platform.send('idp', 'POST', apiOf(place, 'restore'), memberViewSchema);
  return { to: memberOf(place), notice: 'The membership is restored.' };
});

const remove = memberAction('remove', 'Removes a member; members may leave', async (place, { platform, person }) => {
  await platform.send('idp', 'DELETE', apiOf(place), userSchema);
  if (person.userId !== place.userId) {
    return { to: orgPage(place.slug), notice: 'They are not in the organisation any more.' };
  }
  return { to: '/orgs', notice: `You have left ${place.slug}.`, renew: true };
});

const resetSecondFactor = memberAction(
  'reset-second-factor',
  'Removes the second factor and the password of a member',
  async (place, { platform }) => {
    await platform.send('idp', 'POST', apiOf(place, 'reset-second-factor'), memberViewSchema);
    return { to: memberOf(place), notice: 'The second factor is removed. A mail says how to choose a new password.' };
  },
);

const endLogins = memberAction('sessions/end', 'Signs a member out everywhere', async (place, { platform }) => {
  await platform.send('idp', 'DELETE', apiOf(place, 'sessions'), userSchema);
  return { to: memberOf(place), notice: 'They are signed out everywhere.' };
});

const endSession = defineAction({
  module: 'orgs',
  path: '/orgs/:slug/members/:userId/sessions/:sessionId/end',
  summary: 'Ends one session of a member',
  params: params.extend({ sessionId: z.string().max(64) }),
  back: memberOf,
  run: async ({ platform, params: { sessionId, ...place } }) => {
    await platform.send('idp', 'DELETE', apiOf(place, 'sessions', sessionId), z.object({ id: z.string() }));
    return { to: memberOf(place), notice: 'The session is over.' };
  },
});

export const memberActions: readonly Action[] = [
  ...[setRights, suspend, restore, remove],
  ...[resetSecondFactor, endLogins, endSession],
];
