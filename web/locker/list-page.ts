import { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import { itemSummarySchema } from '../../domain/locker/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, pagination, table } from '../look/components.ts';
import { field, form } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type Page, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { itemPath, type LockerPlace } from './places.ts';
import { valueFields } from './value-fields.ts';

const ITEMS = pageSchema(itemSummarySchema);
type Item = z.output<typeof itemSummarySchema>;

/** The items of a locker, without values. */
export function listPage(place: LockerPlace): Page {
  const isOrg = place.kind === 'org';
  return definePage({
    module: 'locker',
    path: place.path,
    summary: isOrg ? 'Credentials of the org, without their values' : 'Credentials of the person, without their values',
    ...(isOrg
      ? { nav: { label: 'Locker', icon: 'shield', group: 'people', order: 30 } as const }
      : { under: '/locker' }),
    tab: { of: 'locker', label: isOrg ? 'Of the organisation' : 'Your own', order: isOrg ? 0 : 10 },
    callers: place.callers,
    query: z.strictObject({ cursor: z.string().max(500).optional() }),
    load: ({ platform, person, query }) =>
      platform.get('locker', pathOf(...place.api(person), 'items'), ITEMS, { ...query }),
    view: ({ items, nextCursor }, context) => ({
      title: 'Locker',
      lead: isOrg
        ? html`Credentials of ${context.person.org}. Nobody reads a secret back. A service that an item is bound to may copy its values into its variables.`
        : 'What you keep for yourself. It is for no service, and nobody else sees it.',
      body: html`${card({ flush: true }, items.length === 0 ? nothing(isOrg) : html`${itemsTable(place, items, context)}${pagination(place.path, nextCursor)}`)}
${admits(place.writers, context.person) && newItemCard(place, context)}`,
    }),
  });
}

function nothing(isOrg: boolean): Html {
  return emptyState({
    icon: 'shield',
    title: 'Nothing is kept here yet',
    text: isOrg
      ? 'An item is a credential with its parts, such as a user name and a password, that several services can use.'
      : 'An item is a credential with its parts, such as a user name and a password.',
  });
}

function itemsTable(place: LockerPlace, items: readonly Item[], { now }: PageContext): Html {
  const isOrg = place.kind === 'org';
  const columns = [
    { label: 'Item', kind: 'main' },
    { label: 'Fields' },
    ...(isOrg ? [{ label: 'For the services' }] : []),
    { label: 'State' },
    { label: 'Changed' },
  ] as const;
  const rows = items.map((item) => [
    html`<a href="${itemPath(place, { vault: item.vault, item: item.name })}">${item.name}</a><span class="sub">${item.vault}</span>`,
    item.fields.map(({ name }) => name).join(', '),
    ...(isOrg ? [item.bindings.map(({ service }) => service).join(', ')] : []),
    stateOf(item),
    ago(item.updatedAt, now()),
  ]);
  return table('Items', columns, rows);
}

export function stateOf({ sealedAt }: Pick<Item, 'sealedAt'>): Html {
  return sealedAt === null ? badge('good', 'In use') : badge('warn', 'Sealed', 'shield');
}

function newItemCard(place: LockerPlace, context: PageContext): Html {
  return card(
    { title: 'Keep something' },
    form(context, {
      action: place.path,
      button: 'Keep it',
      icon: 'plus',
      fields: (
        own,
      ) => html`<div class="field-row">${field(own, { name: 'vault', label: 'Vault', value: 'default', mono: true, required: true })}
${field(own, { name: 'item', label: 'Item', mono: true, required: true, placeholder: 'payment-provider' })}</div><hr>${valueFields(own, 'password')}`,
    }),
  );
}
