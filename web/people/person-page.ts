import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { loginsViewSchema, userViewSchema } from '../../domain/identity/schema.ts';
import { PLATFORM_ROLES, type PlatformRole } from '../../domain/roles.ts';
import { card, externalLink, facts, notice, partCard } from '../look/components.ts';
import { checkbox, confirmForm, field, form } from '../look/forms.ts';
import { moment } from '../look/time.ts';
import { loginsView } from '../orgs/logins-view.ts';
import { nameOf } from '../orgs/people-words.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { personPage, type UserView, userState } from './people-page.ts';

/** Path of a person at the identity provider. */
export function personApi(id: string, ...rest: readonly string[]): string {
  return pathOf('api', 'v2', 'users', id, ...rest);
}

const ROLE_WORDS: Readonly<Record<PlatformRole, readonly [title: string, hint: string]>> = {
  super_admin: ['Super admin', 'Everything, in every organisation.'],
  developer: ['Developer', 'Named in tokens: services may ask for it.'],
  devops: ['Operator', 'Named in tokens: services may ask for it.'],
};

export const personDetailPage = definePage({
  module: 'people',
  path: '/people/:id',
  summary: 'One person: state, platform roles, logins',
  callers: { 'platform-admin': true },
  params: z.strictObject({ id: z.string().max(64) }),
  load: async ({ platform, params: { id } }) => {
    const [user, logins] = await Promise.all([
      platform.get('idp', personApi(id), userViewSchema),
      part(platform.get('idp', personApi(id, 'sessions'), loginsViewSchema)),
    ]);
    return { user, logins };
  },
  view: ({ user, logins }, context) => ({
    title: nameOf(user),
    crumbs: [['People', '/people']],
    beside: userState(user),
    lead: user.email,
    body: html`${user.id === context.person.userId && ownNotice(context)}
<div class="columns"><div>${partCard({ title: 'Signed in', flush: true }, logins, (value) => loginsView(value, personPage(user.id), context))}
${rolesCard(user, context)}${nameCard(user, context)}</div><div>${aboutCard(user)}${dangerCard(user, context)}</div></div>`,
  }),
});

function ownNotice({ addresses }: PageContext): Html {
  const page = addresses.idp === undefined ? null : externalLink(`${addresses.idp}/account`, 'your account page');
  return notice(
    'info',
    html`<p>This is you. Change your password and second factor on ${page ?? 'your account page'}.</p>`,
  );
}

function aboutCard({ id, primaryOrg, emailVerified, createdAt }: UserView): Html {
  return card(
    { title: 'About' },
    facts([
      [
        'Acts in',
        primaryOrg === null ? 'no organisation' : html`<a href="${pathOf('orgs', primaryOrg)}">${primaryOrg}</a>`,
      ],
      ['Address', emailVerified ? 'proved' : 'not proved yet'],
      ['Account since', moment(createdAt)],
      ['Number', html`<code>${id}</code>`],
    ]),
  );
}

function rolesCard({ id, platformRoles }: UserView, context: PageContext): Html {
  return card(
    { title: 'Roles on the platform' },
    form(context, {
      action: personPage(id, 'platform-roles'),
      button: 'Save',
      hidden: { before: JSON.stringify({ platformRoles }) },
      fields: (own) =>
        PLATFORM_ROLES.map((role) =>
          checkbox(own, {
            ...{ name: `role.${role}`, label: ROLE_WORDS[role][0], hint: ROLE_WORDS[role][1] },
            checked: platformRoles.includes(role),
          }),
        ),
    }),
  );
}

function nameCard({ id, firstName, lastName }: UserView, context: PageContext): Html {
  return card(
    { title: 'Name' },
    form(context, {
      action: personPage(id, 'name'),
      button: 'Save',
      tone: 'plain',
      fields: (
        own,
      ) => html`<div class="field-row">${field(own, { name: 'firstName', label: 'First name', value: firstName })}
${field(own, { name: 'lastName', label: 'Last name', value: lastName })}</div>`,
    }),
  );
}

function dangerCard(user: UserView, context: PageContext): Html {
  const name = nameOf(user);
  const isSelf = user.id === context.person.userId;
  const suspend =
    user.suspendedAt === null
      ? confirmForm(context, {
          ...{
            action: personPage(user.id, 'suspend'),
            label: 'Suspend the account',
            icon: 'pause',
            button: 'Suspend it',
          },
          question: `Every session, login and token of ${name} ends, in all organisations.`,
        })
      : form(context, { action: personPage(user.id, 'restore'), button: 'Restore the account', tone: 'plain' });
  const reset = confirmForm(context, {
    ...{ action: personPage(user.id, 'reset-second-factor'), label: 'Reset second factor', icon: 'key' },
    ...{ button: 'Reset it' },
    question: `This removes the second factor and the password of ${name}, who gets a mail to choose a new one. They are signed out everywhere.`,
  });
  return card({ title: 'Account' }, html`<div class="stack">${suspend}${!isSelf && reset}</div>`);
}
