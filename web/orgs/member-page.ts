import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { loginsViewSchema } from '../../domain/identity/schema.ts';
import { memberViewSchema } from '../../domain/orgs/schema.ts';
import { card, facts, partCard } from '../look/components.ts';
import { checkbox, confirmForm, form, select } from '../look/forms.ts';
import { moment } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { loginsView } from './logins-view.ts';
import { type OpenedOrg, openOrg, orgApi, orgPage } from './org-access.ts';
import { nameOf, ROLE_CHOICES, roleOf, roleTitle, stateOf } from './people-words.ts';

type Member = z.output<typeof memberViewSchema>;

export const memberPage = definePage({
  module: 'orgs',
  path: '/orgs/:slug/members/:userId',
  summary: 'One member of an org: role, state, logins',
  params: z.strictObject({ slug: z.string().max(63), userId: z.string().max(64) }),
  load: async (context) => {
    const { platform, params } = context;
    const path = orgApi(params.slug, 'members', params.userId);
    const [opened, member] = await Promise.all([
      openOrg(context, params.slug),
      platform.get('idp', path, memberViewSchema),
    ]);
    const logins = opened.administers ? await part(platform.get('idp', `${path}/sessions`, loginsViewSchema)) : null;
    return { opened, member, logins };
  },
  view: ({ opened, member, logins }, context) => {
    const { org, administers } = opened;
    const path = orgPage(org.slug, 'members', member.userId);
    const isSelf = member.userId === context.person.userId;
    return {
      title: nameOf(member),
      crumbs: [
        ['Organisations', '/orgs'],
        [org.name, orgPage(org.slug)],
      ],
      beside: stateOf(member),
      lead: member.email,
      body: html`<div class="columns"><div>${administers && rightsCard(opened, member, path, context)}
${logins !== null && partCard({ title: 'Signed in', flush: true }, logins, (value) => loginsView(value, path, context))}</div>
<div>${aboutCard(member)}${(administers || isSelf) && dangerCard(opened, member, { path, isSelf }, context)}</div></div>`,
    };
  },
});

function aboutCard({ userId, roles, modules, createdAt }: Member): Html {
  return card(
    { title: 'About' },
    facts([
      ['Role', roleTitle(roleOf(roles))],
      ...(modules.length === 0 ? [] : [['Modules', modules.join(', ')] as const]),
      ['In the organisation since', moment(createdAt)],
      ['Number', html`<code>${userId}</code>`],
    ]),
  );
}

/** What the member had when the form was made goes along: of two admins who change it at once, one is told. */
function rightsCard({ org }: OpenedOrg, { roles, modules }: Member, path: string, context: PageContext): Html {
  return card(
    { title: 'Role' },
    form(context, {
      action: `${path}/rights`,
      button: 'Save',
      hidden: { before: JSON.stringify({ roles, modules }) },
      fields: (
        own,
      ) => html`${select(own, { name: 'role', label: 'Role', value: roleOf(roles) ?? 'viewer', choices: ROLE_CHOICES })}
${org.modules.length > 0 && html`<fieldset class="plain"><legend>Modules</legend>${org.modules.map((module) => checkbox(own, { name: `module.${module}`, label: module, checked: modules.includes(module) }))}</fieldset>`}`,
    }),
  );
}

function dangerCard(
  { org, administers }: OpenedOrg,
  member: Member,
  { path, isSelf }: { readonly path: string; readonly isSelf: boolean },
  context: PageContext,
): Html {
  const name = nameOf(member);
  return card(
    { title: isSelf ? 'Your membership' : 'Membership' },
    html`<div class="stack">${administers && (member.suspendedAt === null ? confirmForm(context, { action: `${path}/suspend`, label: 'Suspend', icon: 'pause', button: 'Suspend it', question: `${name} can do nothing in ${org.name} until you restore the membership. Their account stays.` }) : form(context, { action: `${path}/restore`, button: 'Restore', tone: 'plain' }))}
${administers && !isSelf && confirmForm(context, { action: `${path}/reset-second-factor`, label: 'Reset second factor', icon: 'key', button: 'Reset it', question: `This removes the second factor and the password of ${name}, who gets a mail to choose a new one. They are signed out everywhere.` })}
${confirmForm(context, { action: `${path}/remove`, label: isSelf ? 'Leave' : 'Remove', icon: 'x', button: isSelf ? 'Leave it' : 'Remove them', question: isSelf ? `You can do nothing in ${org.name} any more, until you are invited again.` : `${name} can do nothing in ${org.name} any more, until they are invited again.` })}</div>`,
  );
}
