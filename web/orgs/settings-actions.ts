import { z } from 'zod';
import { orgGrantViewSchema, orgViewSchema } from '../../domain/orgs/schema.ts';
import { type Action, type ActionContext, defineAction } from '../page.ts';
import { orgApi, orgPage } from './org-access.ts';

const params = z.strictObject({ slug: z.string().max(63) });
const settingsOf = ({ slug }: { readonly slug: string }): string => orgPage(slug, 'settings');
const text = z.string().max(2_000);

/** A field that was left empty clears what is there. */
const orNull = (value: string): string | null => (value.trim() === '' ? null : value.trim());

/** A form that changes fields of an org. The provider checks them, and names those that are wrong. */
function orgChange<B extends z.ZodObject>(row: {
  readonly rest: string;
  readonly summary: string;
  readonly body: B;
  readonly notice: string;
  readonly changes: (body: z.output<B>) => unknown;
  readonly callers?: Action['callers'];
}): Action {
  const { rest, summary, body: schema, notice, changes, callers } = row;
  return defineAction({
    module: 'orgs',
    path: `/orgs/:slug/settings/${rest}`,
    summary,
    ...(callers === undefined ? {} : { callers }),
    params,
    body: schema,
    back: settingsOf,
    run: async ({ platform, params: place, body }: ActionContext<z.output<typeof params>, z.output<B>>) => {
      await platform.send('idp', 'PATCH', orgApi(place.slug), orgViewSchema, { body: changes(body) });
      return { to: settingsOf(place), notice };
    },
  });
}

const PLATFORM_ALONE = { 'platform-admin': true } as const;

export const settingsActions: readonly Action[] = [
  orgChange({
    rest: 'policy',
    summary: 'Sets what an org asks of logins',
    body: z.object({ secondFactorRequired: z.literal('on').optional(), 'policy.sessionHours': text }),
    notice: 'Saved. Logins that do not meet it stop to count in this organisation.',
    changes: ({ secondFactorRequired, 'policy.sessionHours': hours }) => ({
      policy: {
        secondFactorRequired: secondFactorRequired === 'on',
        sessionHours: hours.trim() === '' ? null : Number(hours),
      },
    }),
  }),
  orgChange({
    rest: 'name',
    summary: 'Renames an org',
    body: z.object({ name: text }),
    notice: 'The name is saved.',
    changes: ({ name }) => ({ name }),
  }),
  orgChange({
    rest: 'look',
    summary: 'Sets how sign-in pages and mail of an org look',
    body: z.object({
      'whiteLabel.emailFromName': text,
      'whiteLabel.logoUrl': text,
      'whiteLabel.primaryColor': text,
    }),
    notice: 'The look is saved.',
    changes: (body) => ({
      whiteLabel: {
        emailFromName: orNull(body['whiteLabel.emailFromName']),
        logoUrl: orNull(body['whiteLabel.logoUrl']),
        primaryColor: orNull(body['whiteLabel.primaryColor']),
      },
    }),
  }),
  orgChange({
    rest: 'modules',
    summary: 'Sets the modules of an org',
    callers: PLATFORM_ALONE,
    body: z.object({ modules: text }),
    notice: 'The modules are saved.',
    changes: ({ modules }) => ({ modules: modules.split(/[\s,]+/).filter((word) => word !== '') }),
  }),
  ...([true, false] as const).map((suspended) =>
    orgChange({
      rest: suspended ? 'suspend' : 'restore',
      summary: suspended ? 'Suspends an org' : 'Restores an org',
      callers: PLATFORM_ALONE,
      body: z.object({}),
      notice: suspended ? 'The organisation is suspended.' : 'The organisation is restored.',
      changes: () => ({ suspended }),
    }),
  ),
  defineAction({
    module: 'orgs',
    path: '/orgs/:slug/settings/grants',
    summary: 'Lets a client manage the people of an org',
    params,
    body: z.object({ clientId: z.string().trim().min(1).max(200) }),
    back: settingsOf,
    run: async ({ platform, params: place, body: { clientId } }) => {
      await platform.send('idp', 'PUT', orgApi(place.slug, 'grants', clientId), orgGrantViewSchema);
      return { to: settingsOf(place), notice: `${clientId} manages people here from now on.` };
    },
  }),
  defineAction({
    module: 'orgs',
    path: '/orgs/:slug/settings/grants/:clientId/revoke',
    summary: 'Stops a client from managing the people of an org',
    params: params.extend({ clientId: z.string().max(200) }),
    back: settingsOf,
    run: async ({ platform, params: { slug, clientId } }) => {
      const reply = z.object({ clientId: z.string() });
      await platform.send('idp', 'DELETE', orgApi(slug, 'grants', clientId), reply);
      return { to: settingsOf({ slug }), notice: `${clientId} does not manage people here any more.` };
    },
  }),
];
