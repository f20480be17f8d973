import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { daySchema } from '../../domain/audit-ledger/anchoring-schema.ts';
import { endOfDay, startOfDay } from '../../domain/audit-ledger/days.ts';
import { eventViewSchema } from '../../domain/audit-ledger/event-view-schema.ts';
import { card, emptyState, externalLink, pagination, table } from '../look/components.ts';
import { field, searchForm } from '../look/forms.ts';
import { moment } from '../look/time.ts';
import { definePage } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

const PATH = '/ledger';
const EVENTS = z.object({ events: z.array(eventViewSchema), nextCursor: z.string().nullable() });

/** Who reads the ledger; the same as at its API. */
export const READERS = { 'platform-admin': true, user: 'viewer' } as const;

export type EventView = z.output<typeof eventViewSchema>;

/** Path of an event's page, or of a form below it. */
export function eventPath(id: string, ...rest: readonly string[]): string {
  return pathOf('ledger', 'events', id, ...rest);
}

/** A field that was left empty is none. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const searchSchema = z.strictObject({
  entityId: optional(z.string().trim().max(256)),
  eventType: optional(z.string().trim().max(128)),
  namespace: optional(z.string().trim().max(63)),
  from: optional(daySchema),
  to: optional(daySchema),
  cursor: optional(z.string().max(500)),
});

type Search = Omit<z.output<typeof searchSchema>, 'cursor'>;

const FIELDS = [
  { name: 'eventType', label: 'Type', placeholder: 'service.deployed', mono: true },
  { name: 'entityId', label: 'Entity', mono: true },
  { name: 'namespace', label: 'Namespace', mono: true },
  { name: 'from', label: 'From day (UTC)', type: 'date' },
  { name: 'to', label: 'To day, included', type: 'date' },
] as const;

export const ledgerPage = definePage({
  module: 'audit-ledger',
  path: PATH,
  summary: 'Events of the audit ledger, newest first',
  nav: { label: 'Audit ledger', icon: 'book', group: 'people', order: 50 },
  tab: { of: 'ledger', label: 'Events', order: 0 },
  callers: READERS,
  query: searchSchema,
  load: ({ platform, query: { from, to, ...query } }) =>
    platform.get('audit-ledger', '/v1/events', EVENTS, {
      ...query,
      from: from === undefined ? undefined : startOfDay(from).toISOString(),
      to: to === undefined ? undefined : endOfDay(to).toISOString(),
    }),
  view: ({ events, nextCursor }, { person, addresses, query: { cursor: _, ...search } }) => {
    const isSearch = Object.values(search).some((value) => value !== undefined);
    const none = isSearch
      ? ({ icon: 'search', title: 'Nothing was found', text: 'Take a filter away, or make it wider.' } as const)
      : ({
          icon: 'book',
          title: 'No events yet',
          text: 'Each deploy, and each change of people and rights, is recorded here.',
        } as const);
    return {
      title: 'Audit ledger',
      lead: html`${person.kind === 'platform-admin' ? 'Events of all organisations' : `Events of ${person.org}`}, newest first, in chains that show every change.`,
      buttons:
        addresses['audit-ledger'] !== undefined &&
        html`<span class="button bare">${externalLink(`${addresses['audit-ledger']}/audit`, 'The ledger’s own pages')}</span>`,
      body: html`${searchForm({ path: PATH, active: isSearch, fields: FIELDS.map((row) => field({ outcome: null }, { ...row, value: search[row.name] ?? '' })) })}
${card({ flush: true }, events.length === 0 ? emptyState(none) : html`${eventsTable(events, person.kind === 'platform-admin')}${pagination(searchPath(search), nextCursor)}`)}`,
    };
  },
});

function searchPath(search: Search): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return given.length === 0 ? PATH : `${PATH}?${new URLSearchParams(given)}`;
}

function eventsTable(events: readonly EventView[], isOfAll: boolean): Html {
  const columns = [
    { label: 'What', kind: 'main' },
    { label: 'Entity' },
    ...(isOfAll ? [{ label: 'Organisation' }] : []),
    { label: 'Place in its chain' },
    { label: 'When' },
  ] as const;
  const rows = events.map(({ id, eventType, entityId, orgSlug, namespace, chainIndex, createdAt }) => [
    html`<a href="${eventPath(id)}">${eventType}</a>`,
    html`<a class="quiet long" href="${searchPath({ entityId })}">${entityId}</a>`,
    ...(isOfAll ? [orgSlug] : []),
    `${namespace} #${chainIndex}`,
    moment(createdAt),
  ]);
  return table('Events', columns, rows);
}

/** Search for the events of one entity. */
export function entityPath(entityId: string): string {
  return searchPath({ entityId });
}
