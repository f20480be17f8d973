import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { meSchema } from '../../domain/identity/schema.ts';
import { createOrgBodySchema, orgViewSchema } from '../../domain/orgs/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, externalLink, pagination, partCard, table } from '../look/components.ts';
import { field, form } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { defineAction, definePage, type PageContext } from '../page.ts';
import { part } from '../platform/part.ts';
import { type OrgView, orgPage } from './org-access.ts';
import { roleOf, roleTitle, stateOf } from './people-words.ts';

const PATH = '/orgs';
const PAGE_OF_ORGS = pageSchema(orgViewSchema);

type Mine = z.output<typeof meSchema>['orgs'];

export const orgListPage = definePage({
  module: 'orgs',
  path: PATH,
  summary: 'Orgs of the person, and all orgs for super admins',
  nav: { label: 'Organisations', icon: 'building', group: 'people', order: 10 },
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: async ({ platform, person, query }) => {
    const [me, all] = await Promise.all([
      platform.get('idp', '/api/v2/me', meSchema),
      person.kind === 'platform-admin' ? part(platform.get('idp', '/api/v2/orgs', PAGE_OF_ORGS, { ...query })) : null,
    ]);
    return { me, all };
  },
  view: ({ me, all }, context) => ({
    title: 'Organisations',
    lead: 'Services, clients and people belong to an organisation. You see what belongs to the one that you act in.',
    buttons:
      context.addresses.idp !== undefined &&
      html`<span class="button bare">${externalLink(`${context.addresses.idp}/account`, 'Your account')}</span>`,
    body: html`${mine(me.orgs, context)}
${all !== null && partCard({ title: 'All organisations', flush: true }, all, ({ items, nextCursor }) => allOrgs(items, nextCursor, context))}
${all !== null && createCard(context)}`,
  }),
});

function mine(orgs: Mine, context: PageContext): Html {
  const columns = [
    { label: 'Organisation', kind: 'main' },
    { label: 'Your role' },
    { label: 'Act here', kind: 'actions' },
  ] as const;
  const rows = orgs.map(({ orgSlug, orgName, roles }) => [
    html`<a href="${orgPage(orgSlug)}">${orgName}</a><span class="sub">${orgSlug}</span>`,
    roleTitle(roleOf(roles)),
    orgSlug === context.person.org ? badge('good', 'You act here') : chooseForm(context, orgSlug),
  ]);
  const none = {
    icon: 'building',
    title: 'You are in no organisation',
    text: 'Ask an admin of one to invite you. The invitation comes by mail.',
  } as const;
  return card(
    { title: 'Your organisations', flush: true },
    rows.length === 0 ? emptyState(none) : table('Your organisations', columns, rows),
  );
}

/** Acts in another org from now on. */
export function chooseForm(context: Pick<PageContext, 'csrf' | 'outcome'>, slug: string): Html {
  return form(context, { action: orgPage(slug, 'choose'), button: 'Act here', tone: 'plain' });
}

function allOrgs(orgs: readonly OrgView[], nextCursor: string | null, { now }: PageContext): Html {
  const columns = [
    { label: 'Organisation', kind: 'main' },
    { label: 'State' },
    { label: 'Modules' },
    { label: 'Created' },
  ] as const;
  const rows = orgs.map((org) => [
    html`<a href="${orgPage(org.slug)}">${org.name}</a><span class="sub">${org.slug}${org.platform && ' · runs the platform'}</span>`,
    stateOf(org),
    org.modules.length === 0 ? '' : org.modules.join(', '),
    ago(org.createdAt, now()),
  ]);
  return html`${table('All organisations', columns, rows)}${pagination(PATH, nextCursor)}`;
}

function createCard(context: PageContext): Html {
  return card(
    { title: 'Create an organisation' },
    form(context, {
      action: PATH,
      button: 'Create it',
      icon: 'plus',
      fields: (own) => html`${field(own, { name: 'name', label: 'Name', required: true })}
${field(own, { name: 'slug', label: 'Short name', required: true, mono: true, hint: 'Lower-case letters, digits and dashes. It is part of addresses and stays for good.' })}`,
    }),
  );
}

export const createOrg = defineAction({
  module: 'orgs',
  path: PATH,
  summary: 'Creates an org',
  callers: { 'platform-admin': true },
  body: createOrgBodySchema.pick({ slug: true, name: true }),
  back: () => PATH,
  run: async ({ platform, body }) => {
    const org = await platform.send('idp', 'POST', '/api/v2/orgs', orgViewSchema, { body });
    return { to: orgPage(org.slug), notice: `${org.name} is there. It has no members yet: invite its first admin.` };
  },
});

export const chooseOrg = defineAction({
  module: 'orgs',
  path: '/orgs/:slug/choose',
  summary: 'Chooses the org that the person acts in',
  params: z.strictObject({ slug: z.string().max(63) }),
  back: () => PATH,
  run: async ({ platform, params: { slug } }) => {
    await platform.send('idp', 'PATCH', '/api/v2/me', meSchema, { body: { primaryOrg: slug } });
    return {
      to: PATH,
      notice: `You act in ${slug} now. Command lines do so when they renew their token.`,
      renew: true,
    };
  },
});
