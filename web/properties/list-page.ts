import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { PROPERTY_STATUSES, SOURCE_KINDS } from '../../domain/properties/property.ts';
import { type PropertyView, propertyPageSchema } from '../../domain/properties/schema.ts';
import { whole } from '../look/chart.ts';
import { card, emptyState, table } from '../look/components.ts';
import { field, searchForm, select } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage } from '../page.ts';
import {
  CALLERS,
  emptyIsNone,
  LIST_PATH,
  PATH,
  propertyPath,
  SOURCE_WORDS,
  STATUS_WORDS,
  stateBadge,
  wayOf,
} from './words.ts';

const SHOWN = 50;

const optional = <T extends z.ZodType>(schema: T) => z.preprocess(emptyIsNone, schema.optional());
const word = z.string().trim().max(100);

const querySchema = z.strictObject({
  status: optional(z.enum(PROPERTY_STATUSES)),
  family: optional(word),
  role: optional(word),
  source: optional(z.enum(SOURCE_KINDS)),
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});

type Filter = Omit<z.output<typeof querySchema>, 'from'>;

/** All Properties that a filter matches. */
export const listPage = definePage({
  module: 'properties',
  path: LIST_PATH,
  summary: 'Properties by status, family, role and source',
  tab: { of: 'properties', label: 'All', order: 10 },
  under: PATH,
  callers: CALLERS,
  query: querySchema,
  load: ({ platform, query: { from: offset, ...filter } }) =>
    platform.get('site-registry', '/api/properties', propertyPageSchema, { ...filter, offset, limit: SHOWN }),
  view: ({ items, total }, { query: { from, ...filter }, now }) => ({
    title: 'Properties',
    lead: leadOf(total, from, items.length),
    body: html`${filterForm(filter)}${card(
      { flush: true },
      items.length === 0
        ? nothing(filter)
        : html`${table(
            'Properties',
            COLUMNS,
            items.map((one) => propertyRow(one, now())),
          )}${pages(filter, from, total)}`,
    )}`,
  }),
});

const COLUMNS = [
  { label: 'Domain', kind: 'main' },
  { label: 'State' },
  { label: 'DNS' },
  { label: 'Source' },
  { label: 'Last news' },
] as const;

function propertyRow(property: PropertyView, now: Date) {
  const { domain, family, role, source, updatedAt, map } = property;
  const about = [family, role, map?.leftAt != null && 'left the domain map'].filter(Boolean).join(' · ');
  return [
    html`<a href="${propertyPath(domain)}">${domain}</a>${about !== '' && html`<span class="sub">${about}</span>`}`,
    stateBadge(property),
    wayOf(property),
    source === null ? null : html`<div>${SOURCE_WORDS[source.kind]}</div>`,
    ago(updatedAt, now),
  ];
}

function leadOf(total: number, from: number, shown: number): string {
  if (total <= SHOWN) return total === 1 ? 'One Property.' : `${whole(total)} Properties.`;
  return `${whole(from + 1)} to ${whole(from + shown)} of ${whole(total)} Properties.`;
}

function filterForm(filter: Filter): Html {
  const none = { outcome: null };
  const any = ['', 'Any'] as const;
  return searchForm({
    path: LIST_PATH,
    button: 'Filter',
    active: Object.values(filter).some((value) => value !== undefined),
    fields: html`${select(none, {
      ...{ name: 'status', label: 'State', value: filter.status ?? '' },
      choices: [any, ...PROPERTY_STATUSES.map((status) => [status, STATUS_WORDS[status]] as const)],
    })}${field(none, { name: 'family', label: 'Family', value: filter.family ?? '' })}
${field(none, { name: 'role', label: 'Role', value: filter.role ?? '' })}
${select(none, {
  ...{ name: 'source', label: 'Source', value: filter.source ?? '' },
  choices: [any, ...SOURCE_KINDS.map((kind) => [kind, SOURCE_WORDS[kind]] as const)],
})}`,
  });
}

function nothing(filter: Filter): Html {
  return Object.values(filter).some((value) => value !== undefined)
    ? emptyState({ icon: 'search', title: 'Nothing was found', text: 'Take a filter away, or choose another one.' })
    : emptyState({ icon: 'globe', title: 'No domains yet', text: 'They come from the domain map.' });
}

/** The way back and on; nothing where all are shown. */
function pages(filter: Filter, from: number, total: number): Html | false {
  if (total <= SHOWN) return false;
  const [before, after] = [from - SHOWN, from + SHOWN];
  return html`<nav class="pagination buttons" aria-label="Pages">${from > 0 && html`<a class="button" href="${pathOfPage(filter, Math.max(0, before))}" rel="prev">Before</a>`}${
    after < total && html`<a class="button" href="${pathOfPage(filter, after)}" rel="next">More</a>`
  }</nav>`;
}

function pathOfPage(filter: Filter, from: number): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `${LIST_PATH}?${new URLSearchParams([...given, ['from', String(from)]])}`;
}
