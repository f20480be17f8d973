import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { userViewSchema } from '../../domain/identity/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, externalLink, pagination, table } from '../look/components.ts';
import { field, searchForm } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { nameOf, namesLine, stateOf } from '../orgs/people-words.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

const PATH = '/people';
const USERS = pageSchema(userViewSchema);

export type UserView = z.output<typeof userViewSchema>;

/** Path of a person's page. */
export function personPage(id: string, ...rest: readonly string[]): string {
  return pathOf('people', id, ...rest);
}

export const peoplePage = definePage({
  module: 'people',
  path: PATH,
  summary: 'People of the platform, by address',
  nav: { label: 'People', icon: 'people', group: 'platform', order: 10 },
  callers: { 'platform-admin': true },
  query: z.strictObject({ query: z.string().trim().max(254).optional(), cursor: z.string().max(500).optional() }),
  load: async ({ platform, query: { query, cursor } }) => {
    const begins = query === '' ? undefined : query;
    return { begins, users: await platform.get('idp', '/api/v2/users', USERS, { query: begins, cursor }) };
  },
  view: ({ begins, users: { items, nextCursor } }, context) => {
    const here = begins === undefined ? PATH : `${PATH}?${new URLSearchParams({ query: begins })}`;
    return {
      title: 'People',
      lead: 'Everybody who has an account here, whatever organisation they are in.',
      buttons:
        context.addresses.idp !== undefined &&
        html`<span class="button bare">${externalLink(`${context.addresses.idp}/account`, 'Your account')}</span>`,
      body: html`${searchForm({
        ...{ path: PATH, active: begins !== undefined },
        fields: field(
          { outcome: null },
          { name: 'query', label: 'Address begins with', type: 'search', value: begins ?? '' },
        ),
      })}
${card({ flush: true }, items.length === 0 ? emptyState({ icon: 'people', title: 'Nobody was found', text: 'No address begins like this.' }) : html`${usersTable(items, context)}${pagination(here, nextCursor)}`)}`,
    };
  },
});

function usersTable(users: readonly UserView[], { person, now }: PageContext): Html {
  const columns = [
    { label: 'Person', kind: 'main' },
    { label: 'Acts in' },
    { label: 'Platform roles' },
    { label: 'State' },
    { label: 'Since' },
  ] as const;
  const rows = users.map((user) => [
    html`<a href="${personPage(user.id)}">${nameOf(user)}${user.id === person.userId && ' (you)'}</a><span class="sub">${user.email}</span>`,
    user.primaryOrg === null
      ? namesLine([])
      : html`<a href="${pathOf('orgs', user.primaryOrg)}">${user.primaryOrg}</a>`,
    namesLine(user.platformRoles),
    userState(user),
    ago(user.createdAt, now()),
  ]);
  return table('People', columns, rows);
}

export function userState(user: UserView): Html {
  if (user.suspendedAt !== null || user.emailVerified) return stateOf(user);
  return badge('quiet', 'Address not proved', 'clock');
}
