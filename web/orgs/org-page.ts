import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { inviteViewSchema, memberViewSchema } from '../../domain/orgs/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, linkButton, pagination, partCard, table } from '../look/components.ts';
import { checkbox, confirmForm, field, form, select } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { type OpenedOrg, openOrg, orgApi, orgPage } from './org-access.ts';
import { chooseForm } from './org-list-page.ts';
import { nameOf, namesLine, ROLE_CHOICES, roleOf, roleTitle, stateOf } from './people-words.ts';

const MEMBERS = pageSchema(memberViewSchema);
const INVITES = z.object({ items: z.array(inviteViewSchema) });

type Member = z.output<typeof memberViewSchema>;
type Invite = z.output<typeof inviteViewSchema>;

export const orgDetailPage = definePage({
  module: 'orgs',
  path: '/orgs/:slug',
  summary: 'One org and its people',
  params: z.strictObject({ slug: z.string().max(63) }),
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: async (context) => {
    const { platform, params, query } = context;
    const [opened, members] = await Promise.all([
      openOrg(context, params.slug),
      part(platform.get('idp', orgApi(params.slug, 'members'), MEMBERS, { ...query })),
    ]);
    const invites = opened.administers
      ? await part(platform.get('idp', orgApi(params.slug, 'invites'), INVITES))
      : null;
    return { opened, members, invites };
  },
  view: ({ opened, members, invites }, context) => {
    const { org, administers } = opened;
    return {
      title: org.name,
      crumbs: [['Organisations', '/orgs']],
      beside: org.suspendedAt === null ? org.platform && badge('quiet', 'Runs the platform', 'shield') : stateOf(org),
      lead: html`<code>${org.slug}</code>`,
      buttons: buttons(opened, context),
      body: html`${partCard({ title: 'People', flush: true }, members, (page) => membersTable(page.items, opened, page.nextCursor, context))}
${invites !== null && partCard({ title: 'Open invitations', flush: true }, invites, ({ items }) => invitesTable(items, opened, context))}
${administers && inviteCard(opened, context)}`,
    };
  },
});

function buttons({ org, roles, administers }: OpenedOrg, context: PageContext): Html {
  const mayChoose = roles.length > 0 && org.slug !== context.person.org;
  return html`${mayChoose && chooseForm(context, org.slug)}${administers && linkButton(orgPage(org.slug, 'activity'), 'Activity', { icon: 'list' })}${administers && linkButton(orgPage(org.slug, 'settings'), 'Settings', { icon: 'sliders' })}`;
}

function membersTable(
  members: readonly Member[],
  { org, administers }: OpenedOrg,
  nextCursor: string | null,
  { person, now }: PageContext,
): Html {
  if (members.length === 0) {
    return emptyState({ icon: 'people', title: 'Nobody yet', text: 'Invite the first admin of this organisation.' });
  }
  const columns = [
    { label: 'Person', kind: 'main' },
    { label: 'Role' },
    ...(org.modules.length === 0 ? [] : [{ label: 'Modules' }]),
    { label: 'State' },
    { label: 'Since' },
  ] as const;
  const rows = members.map((member) => {
    const isSelf = member.userId === person.userId;
    const name = html`${nameOf(member)}${isSelf && ' (you)'}`;
    const linked = administers || isSelf;
    return [
      html`${linked ? html`<a href="${orgPage(org.slug, 'members', member.userId)}">${name}</a>` : name}<span class="sub">${member.email}</span>`,
      roleTitle(roleOf(member.roles)),
      ...(org.modules.length === 0 ? [] : [namesLine(member.modules)]),
      stateOf(member),
      ago(member.createdAt, now()),
    ];
  });
  return html`${table('People', columns, rows)}${pagination(orgPage(org.slug), nextCursor)}`;
}

function invitesTable(invites: readonly Invite[], { org }: OpenedOrg, context: PageContext): Html {
  if (invites.length === 0) return html`<p class="quiet inset">Nobody is invited at the moment.</p>`;
  const columns = [
    { label: 'Address', kind: 'main' },
    { label: 'Role' },
    { label: 'Invited' },
    { label: 'Good until' },
    { label: 'Withdraw', kind: 'actions' },
  ] as const;
  const rows = invites.map(({ id, email, role, createdAt, expiresAt }) => [
    email,
    roleTitle(role),
    ago(createdAt, context.now()),
    exact(expiresAt).slice(0, 10),
    confirmForm(context, {
      ...{ action: orgPage(org.slug, 'invites', id, 'withdraw'), label: 'Withdraw', button: 'Withdraw it' },
      question: html`The link that was sent to ${email} does nothing then.`,
    }),
  ]);
  return table('Open invitations', columns, rows);
}

function inviteCard({ org }: OpenedOrg, context: PageContext): Html {
  return card(
    { title: 'Invite somebody', id: 'invite' },
    form(context, {
      action: orgPage(org.slug, 'invites'),
      button: 'Invite',
      icon: 'plus',
      fields: (own) => html`${field(own, { name: 'email', label: 'E-mail address', type: 'email', required: true })}
${select(own, { name: 'role', label: 'Role', value: 'member', choices: ROLE_CHOICES })}
${checkbox(own, { name: 'byHand', label: 'Send no mail: show me the link to pass on', hint: 'It is shown once.' })}`,
    }),
  );
}
