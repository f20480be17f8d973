import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import {
  type AuthorizedOrgsView,
  authorizedOrgsViewSchema,
  deauthorizedViewSchema,
  sharingHistoryEntrySchema,
} from '../../domain/authorized-orgs/authorized-orgs-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { REPO_ROLES, type RepoRole } from '../../domain/repo-role.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, pagination, partCard, table } from '../look/components.ts';
import { confirmForm, field, form, select } from '../look/forms.ts';
import { ago, moment } from '../look/time.ts';
import { type Action, defineAction, definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';

const HISTORY = pageSchema(sharingHistoryEntrySchema);
type Change = z.output<typeof sharingHistoryEntrySchema>;

const params = z.strictObject({ name: z.string().max(64) });
const sharingOf = (name: string, ...rest: readonly string[]): string => pathOf('services', name, 'sharing', ...rest);
const apiOf = (name: string, ...rest: readonly string[]): string =>
  pathOf('services', name, 'authorized-orgs', ...rest);

const ROLE_WORDS: Readonly<Record<RepoRole, string>> = {
  none: 'nothing',
  read: 'read',
  write: 'write',
  admin: 'admin',
};

export const sharingPage = definePage({
  module: 'authorized-orgs',
  path: '/services/:name/sharing',
  summary: 'Orgs that share a service with its owner',
  under: '/services',
  tab: { of: 'service', label: 'Sharing', order: 60 },
  callers: { 'platform-admin': true, user: 'viewer' },
  params,
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: async ({ platform, params: { name }, query: { cursor } }) => {
    const [sharing, history] = await Promise.all([
      platform.get('builder', apiOf(name), authorizedOrgsViewSchema),
      part(platform.get('builder', apiOf(name, 'history'), HISTORY, { cursor })),
    ]);
    return { sharing, history };
  },
  people: ({ sharing, history }) => ({
    ids: [
      ...sharing.authorizedOrgs.map(({ authorizedBy }) => authorizedBy),
      ...(history.ok ? history.value.items.map(({ changedBy }) => changedBy) : []),
    ],
  }),
  view: ({ sharing, history }, context) => ({
    title: 'Sharing',
    crumbs: serviceCrumbs(sharing.service),
    lead: html`Belongs to ${sharing.owner}, which pays for it.`,
    body: html`${orgsCard(sharing, context)}${decides(sharing, context) && addCard(sharing, context)}
${partCard({ title: 'History', flush: true }, history, ({ items, nextCursor }) => historyView({ items, nextCursor }, sharing.service, context))}`,
  }),
});

/** Admins of the owner and super admins; the builder decides whether they do. */
function decides({ owner }: AuthorizedOrgsView, { person }: PageContext): boolean {
  return person.kind === 'platform-admin' || (person.role === 'admin' && person.org === owner);
}

function orgsCard(sharing: AuthorizedOrgsView, context: PageContext): Html {
  const { service, authorizedOrgs } = sharing;
  const columns = [
    { label: 'Organisation', kind: 'main' },
    { label: 'In the repository' },
    { label: 'Let in by' },
    { label: 'Since' },
    { label: 'Take out', kind: 'actions' },
  ] as const;
  const rows = authorizedOrgs.map(({ orgSlug, repoRole, authorizedBy, authorizedAt }) => [
    orgSlug,
    ROLE_WORDS[repoRole],
    context.who(authorizedBy),
    ago(authorizedAt, context.now()),
    decides(sharing, context) &&
      confirmForm(context, {
        ...{ action: sharingOf(service, orgSlug, 'remove'), label: 'Take out', button: 'Take it out' },
        question: `${orgSlug} is refused from then on, and its services lose the scopes that they had by sharing. A build that it asked for goes on.`,
      }),
  ]);
  const none = {
    icon: 'people',
    title: 'Shared with nobody',
    text: 'An organisation that shares the service deploys it, changes its variables and reads its logs, as its owner does.',
  } as const;
  return card(
    { title: 'Organisations that share it', flush: true },
    rows.length === 0 ? emptyState(none) : table('Organisations that share it', columns, rows),
  );
}

function addCard({ service }: AuthorizedOrgsView, context: PageContext): Html {
  return card(
    { title: 'Let an organisation in' },
    form(context, {
      action: sharingOf(service),
      button: 'Let it in',
      icon: 'plus',
      fields: (
        own,
      ) => html`${field(own, { name: 'orgSlug', label: 'Organisation', mono: true, required: true, hint: 'Its short name. One that is in already gets another role in the repository.' })}
${select(own, {
  ...{ name: 'repoRole', label: 'In the repository, at the git host', value: 'write' },
  choices: REPO_ROLES.map((role) => [role, ROLE_WORDS[role]] as const),
})}`,
    }),
  );
}

function historyView(
  { items: changes, nextCursor }: z.output<typeof HISTORY>,
  service: string,
  context: PageContext,
): Html {
  if (changes.length === 0) return html`<p class="quiet">Nothing was changed yet.</p>`;
  const columns = [
    { label: 'Organisation', kind: 'main' },
    { label: 'What' },
    { label: 'In the repository' },
    { label: 'By' },
    { label: 'When' },
  ] as const;
  const rows = changes.map(({ orgSlug, change, repoRole, changedBy, at }) => [
    orgSlug,
    changeBadge(change),
    repoRole === null ? '' : ROLE_WORDS[repoRole],
    context.who(changedBy),
    moment(at),
  ]);
  return html`${table('History', columns, rows)}${pagination(sharingOf(service), nextCursor)}`;
}

function changeBadge(change: Change['change']): Html {
  if (change === 'authorized') return badge('good', 'Let in');
  if (change === 'deauthorized') return badge('quiet', 'Taken out');
  return badge('busy', 'Role changed', 'undo');
}

export const sharingActions: readonly Action[] = [
  defineAction({
    module: 'authorized-orgs',
    path: '/services/:name/sharing',
    summary: 'Lets an org share a service, or changes its role in the repository',
    callers: { 'platform-admin': true, user: 'admin' },
    params,
    body: z.object({ orgSlug: z.string().trim().max(63), repoRole: z.enum(REPO_ROLES) }),
    back: ({ name }) => sharingOf(name),
    run: async ({ platform, params: { name }, body }) => {
      await platform.send('builder', 'POST', apiOf(name), authorizedOrgsViewSchema, { body });
      return { to: sharingOf(name), notice: `${body.orgSlug} shares the service.` };
    },
  }),
  defineAction({
    module: 'authorized-orgs',
    path: '/services/:name/sharing/:orgSlug/remove',
    summary: 'Takes an org out that shares a service',
    callers: { 'platform-admin': true, user: 'admin' },
    params: params.extend({ orgSlug: z.string().max(63) }),
    back: ({ name }) => sharingOf(name),
    run: async ({ platform, params: { name, orgSlug } }) => {
      const reply = await platform.send('builder', 'DELETE', apiOf(name, orgSlug), deauthorizedViewSchema);
      const open = reply.openBuilds.length;
      const builds =
        open === 0
          ? ''
          : ` ${open === 1 ? 'A build' : `${open} builds`} that it asked for still run: ${reply.openBuilds.join(', ')}.`;
      return { to: sharingOf(name), notice: `${orgSlug} is out.${builds}` };
    },
  }),
];
