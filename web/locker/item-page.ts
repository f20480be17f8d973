import type { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import { serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import { itemViewSchema } from '../../domain/locker/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { badge } from '../look/badge.ts';
import { card, codeBlock, facts, missingPart, notice, table } from '../look/components.ts';
import { confirmForm, form, select } from '../look/forms.ts';
import { ago, moment } from '../look/time.ts';
import { definePage, type Page, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { stateOf } from './list-page.ts';
import { type ItemParams, itemApi, itemParams, itemPath, type LockerPlace } from './places.ts';
import { valueFields } from './value-fields.ts';

type Item = z.output<typeof itemViewSchema>;
type Services = readonly { readonly id: string; readonly name: string }[];

const SERVICES = pageSchema(serviceViewSchema.pick({ id: true, name: true }));
/** Of the list to choose from. */
const MOST_SERVICES = 200;

/** One item: its fields, of which secrets are never shown, and the services that it is for. */
export function itemPage(place: LockerPlace): Page {
  const isOrg = place.kind === 'org';
  return definePage({
    module: 'locker',
    path: `${place.path}/items/:vault/:item`,
    summary: isOrg ? 'One credential of the org' : 'One credential of the person',
    under: '/locker',
    callers: place.callers,
    params: itemParams,
    load: async ({ platform, person, params }) => {
      const offers = isOrg && admits(place.writers, person);
      const [item, services] = await Promise.all([
        platform.get('locker', itemApi(place, person, params), itemViewSchema),
        offers ? part(platform.get('builder', '/services', SERVICES, { limit: MOST_SERVICES })) : null,
      ]);
      return { item, services };
    },
    view: ({ item, services }, context) => {
      const writes = admits(place.writers, context.person);
      const at = { vault: item.vault, item: item.name };
      return {
        title: item.name,
        crumbs: [['Locker', place.path]],
        beside: stateOf(item),
        lead: html`<code>${item.handle}</code>`,
        body: html`${item.sealedAt !== null && notice('warn', html`<p>Sealed ${ago(item.sealedAt, context.now())}: no value of it leaves the locker. New values for every field undo that.</p>`)}
<div class="columns"><div>${fieldsCard(place, item, writes, context)}${writes && setCard(place, at, context)}${isOrg && copyCard(item)}</div>
<div>${isOrg && bindingsCard(place, item, services, context)}${aboutCard(item)}${writes && dangerCard(place, item, context)}</div></div>`,
      };
    },
  });
}

function fieldsCard(place: LockerPlace, item: Item, writes: boolean, context: PageContext): Html {
  const at: ItemParams = { vault: item.vault, item: item.name };
  const columns = [
    { label: 'Field', kind: 'main' },
    { label: 'Value' },
    ...(writes ? [{ label: 'Remove', kind: 'actions' } as const] : []),
  ] as const;
  const rows = item.fields.map(({ name, secret, value }) => [
    html`<code>${name}</code>`,
    secret ? badge('quiet', 'Secret', 'key') : html`<code>${value}</code>`,
    ...(writes
      ? [
          confirmForm(context, {
            ...{ action: itemPath(place, at, 'fields', name, 'remove'), label: 'Remove', button: 'Remove it' },
            question: 'The value is gone then. Services keep their copies.',
          }),
        ]
      : []),
  ]);
  return card({ title: 'Fields', flush: true }, table('Fields', columns, rows));
}

function setCard(place: LockerPlace, at: ItemParams, context: PageContext): Html {
  return card(
    { title: 'Set a field' },
    form(context, {
      action: itemPath(place, at, 'fields'),
      button: 'Save',
      fields: (own) => html`<p class="quiet">A field that is there gets the new value.</p>${valueFields(own, '')}`,
    }),
  );
}

function bindingsCard(
  place: LockerPlace,
  item: Item,
  services: Part<z.output<typeof SERVICES>> | null,
  context: PageContext,
): Html {
  const at: ItemParams = { vault: item.vault, item: item.name };
  const rows = item.bindings.map(
    ({ serviceId, service, boundAt }) =>
      html`<li><span class="row-main">${service}<span class="sub">since ${ago(boundAt, context.now())}</span></span>${
        services !== null &&
        confirmForm(context, {
          ...{ action: itemPath(place, at, 'bindings', serviceId, 'remove'), label: 'Remove', button: 'Remove it' },
          question: `${service} can copy no value of it any more. It keeps the copies that it has.`,
        })
      }</li>`,
  );
  const free = services?.ok === true ? freeServices(services.value.items, item) : [];
  return card(
    { title: 'For the services', flush: true },
    html`${rows.length === 0 ? html`<p class="quiet">No service may copy its values.</p>` : html`<ul class="rows">${rows}</ul>`}
${services?.ok === false && html`<div class="inset">${missingPart(services.error)}</div>`}
${
  free.length > 0 &&
  form(context, {
    ...{ action: itemPath(place, at, 'bindings'), button: 'Bind it', tone: 'plain' },
    fields: (own) =>
      select(own, {
        ...{ name: 'service', label: 'One more' },
        choices: free.map(({ id, name }) => [`${id} ${name}`, name] as const),
      }),
  })
}`,
  );
}

function freeServices(services: Services, { bindings }: Item): Services {
  return services.filter(({ id }) => !bindings.some(({ serviceId }) => serviceId === id));
}

/** How a bound service gets a value: it is copied, so a new value is copied again. */
function copyCard({ handle, bindings, fields }: Item): Html | false {
  const [bound] = bindings;
  if (bound === undefined) return false;
  const named = fields.filter(({ secret }) => secret).length === 1 ? handle : `${handle}/<field>`;
  const command = `fairlead config set --secret NAME \\\n  --from-locker ${named} \\\n  --service ${bound.service}`;
  return card(
    { title: 'Copy a value into a service' },
    html`<p class="quiet">The value is copied once. After a new one, copy it again and deploy.</p>${codeBlock('Command that copies a value', command)}`,
  );
}

function aboutCard({ createdAt, updatedAt, updatedBy, legacyAlias }: Item): Html {
  return card(
    { title: 'About' },
    facts([
      ['Kept since', moment(createdAt)],
      ['Changed', html`${moment(updatedAt)} by ${updatedBy}`],
      ...(legacyAlias === null ? [] : [['Name in the legacy vault', html`<code>${legacyAlias}</code>`] as const]),
    ]),
  );
}

function dangerCard(place: LockerPlace, item: Item, context: PageContext): Html {
  const at: ItemParams = { vault: item.vault, item: item.name };
  const seal = confirmForm(context, {
    ...{ action: itemPath(place, at, 'seal'), label: 'Seal it', icon: 'shield', button: 'Seal it' },
    question: 'No value of it leaves the locker any more. Only new values for every field undo that.',
  });
  const remove = confirmForm(context, {
    ...{ action: itemPath(place, at, 'remove'), label: 'Remove it', icon: 'x', button: 'Remove it' },
    question: 'The item is gone with all its values. Services keep their copies.',
  });
  return card({ title: 'Seal or remove' }, html`<div class="stack">${item.sealedAt === null && seal}${remove}</div>`);
}
