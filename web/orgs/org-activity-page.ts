import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { orgEventViewSchema } from '../../domain/orgs/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { card, emptyState, pagination, table } from '../look/components.ts';
import { field, searchForm } from '../look/forms.ts';
import { moment } from '../look/time.ts';
import { definePage } from '../page.ts';
import type { Who } from '../people/who.ts';
import { openOrg, orgApi, orgPage } from './org-access.ts';

type OrgEvent = z.output<typeof orgEventViewSchema>;

export const orgActivityPage = definePage({
  module: 'orgs',
  path: '/orgs/:slug/activity',
  summary: 'What was changed in an org, its people and its clients',
  params: z.strictObject({ slug: z.string().max(63) }),
  query: z.strictObject({ type: z.string().trim().max(100).optional(), cursor: z.string().max(500).optional() }),
  load: async (context) => {
    const { platform, params, query } = context;
    const type = query.type === '' ? undefined : query.type;
    const events = pageSchema(orgEventViewSchema);
    const [{ org }, page] = await Promise.all([
      openOrg(context, params.slug),
      platform.get('idp', orgApi(params.slug, 'audit-events'), events, { ...query, type }),
    ]);
    return { org, page, type };
  },
  people: ({ org, page: { items } }) => ({
    ids: items.flatMap(({ actor, subject }) => [actor, subject]),
    org: org.slug,
  }),
  view: ({ org, page: { items, nextCursor }, type }, { who }) => {
    const path = orgPage(org.slug, 'activity');
    const here = type === undefined ? path : `${path}?${new URLSearchParams({ type })}`;
    return {
      title: 'Activity',
      crumbs: [
        ['Organisations', '/orgs'],
        [org.name, orgPage(org.slug)],
      ],
      lead: 'Who changed what in the organisation, its people and its clients, newest first. The audit ledger has the proofs.',
      body: html`${searchForm({
        path,
        active: type !== undefined,
        fields: field(
          { outcome: null },
          { name: 'type', label: 'Type', value: type ?? '', placeholder: 'org.member_changed', mono: true },
        ),
      })}
${card(
  { flush: true },
  items.length === 0
    ? emptyState({
        icon: 'list',
        title: 'Nothing yet',
        text: type === undefined ? 'What admins change is kept here.' : 'No event has this type.',
      })
    : html`${table(
        'Activity',
        COLUMNS,
        items.map((event) => eventRow(event, who)),
      )}${pagination(here, nextCursor)}`,
)}`,
    };
  },
});

const COLUMNS = [{ label: 'What', kind: 'main' }, { label: 'Details' }, { label: 'By' }, { label: 'When' }] as const;

function eventRow({ type, subject, data, actor, time }: OrgEvent, who: Who) {
  const about = /^usr_/.test(subject) ? who(subject) : subject;
  return [html`${type}<span class="sub">${about}</span>`, details(data), who(actor), moment(time)];
}

function details(data: OrgEvent['data']): Html {
  const shown = Object.entries(data).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    return `${name}: ${text === '' ? '–' : text}`;
  });
  return html`<span class="small long">${shown.join(' · ')}</span>`;
}
