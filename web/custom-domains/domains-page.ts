import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import {
  type DomainModesView,
  type DomainView,
  domainModesSchema,
  domainViewSchema,
} from '../../domain/custom-domains/domain-schema.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { pollRegions } from '../live/poll.ts';
import { card, emptyState, facts, liveRegion, notice, pagination, partCard, table } from '../look/components.ts';
import { checkbox, type FormContext, field, form, select } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import { mayChange } from '../members.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import {
  domainPath,
  domainsPath,
  MODE_NAMES,
  modeLabel,
  partsOf,
  sentence,
  stateBadge,
  withoutProofs,
} from './words.ts';

export const serviceParams = z.strictObject({ name: z.string().min(1).max(64) });

const DOMAINS = pageSchema(domainViewSchema);
const SHOWN = 50;
const LOOK_MS = 3_000;

type Context = PageContext<{ readonly name: string }, { readonly cursor?: string | undefined }>;
type Domains = z.output<typeof DOMAINS>;

const load = ({ platform, params: { name }, query: { cursor } }: Context): Promise<Domains> =>
  platform.get('builder', '/domains', DOMAINS, { service: name, limit: SHOWN, cursor });

/** Names of its own that a service is served at, and one more of them. */
export const domainsPage = definePage({
  module: 'custom-domains',
  path: '/services/:name/domains',
  summary: 'Custom domains of a service',
  under: '/services',
  tab: { of: 'service', label: 'Domains', order: 38 },
  params: serviceParams,
  query: z.object({ cursor: z.string().min(1).max(500).optional() }),
  load: async (context: Context) => {
    const modes = part(context.platform.get('builder', '/domains/modes', domainModesSchema));
    return { domains: await load(context), modes: await modes };
  },
  view: ({ domains, modes }, context) => {
    const { name } = context.params;
    return {
      title: 'Domains',
      crumbs: serviceCrumbs(name),
      lead: 'Names of your own that the service is served at, besides the address that the platform gives it.',
      body: html`${liveRegion('domains', domainsCard(domains, context))}${addCard(modes, context)}`,
    };
  },
  live: (context) =>
    pollRegions(context, LOOK_MS, async () => ({ domains: domainsCard(await load(context), context) })),
});

const COLUMNS = [
  { label: 'Name', kind: 'main' },
  { label: 'State' },
  { label: 'Certificate until' },
  { label: 'Looked at' },
] as const;

function domainsCard({ items, nextCursor }: Domains, context: Context): Html {
  const title = `Domains of ${context.params.name}`;
  if (items.length === 0) {
    const text =
      'Add a name first, and then set its record in the DNS: the record says that the name is for this platform, and the add for which service.';
    return card({ title, id: 'domains', flush: true }, emptyState({ icon: 'globe', title: 'No domains yet', text }));
  }
  return card(
    { title, id: 'domains', flush: true },
    html`${table(
      'Domains, by name',
      COLUMNS,
      items.map((one) => domainRow(one, context)),
    )}${pagination(domainsPath(context.params.name), nextCursor)}`,
  );
}

function domainRow(one: DomainView, { params: { name }, now }: Context) {
  const { domain, mode, environment, reason, observedAt } = one;
  return [
    html`<a href="${domainPath(name, domain)}">${domain}</a><span class="sub">${MODE_NAMES[mode]} · ${environmentBadge(environment)}</span>`,
    html`<div>${stateBadge(one)}${reason !== null && html`<span class="sub">${sentence(withoutProofs(partsOf(reason).what, one))}</span>`}</div>`,
    certificateCell(one, now()),
    observedAt === null ? html`<span class="quiet">Not yet</span>` : ago(observedAt, now()),
  ];
}

function certificateCell({ mode, certificate }: DomainView, now: Date): Html {
  if (mode !== 'direct') return html`<span class="quiet">At the edge</span>`;
  if (certificate === null || certificate.expiresAt === null) return html`<span class="quiet">None yet</span>`;
  const { expiresAt, servedAt } = certificate;
  return html`<div><time datetime="${expiresAt}">${exact(expiresAt).slice(0, 10)}</time><span class="sub">${servedAt === null ? 'not seen served yet' : html`seen served ${ago(servedAt, now)}`}</span></div>`;
}

/** Who may not add, and where nothing can be added, is told so, and what would have to be done. */
function addCard(modes: Part<DomainModesView>, context: Context): Html {
  const options = { title: 'Add a domain', id: 'add' };
  if (!mayChange(context)) {
    return card(
      options,
      html`<p class="quiet">Your role in ${context.person.org} is viewer: you see domains. Members and admins of it add, verify and remove them.</p>`,
    );
  }
  return partCard(options, modes, (offers) => {
    const offered = offers.modes.filter(({ unavailable }) => unavailable === null).map(({ mode }) => mode);
    return offered.length === 0 ? nothingOffered(offers) : html`${addForm(offers, context)}${notOffered(offers)}`;
  });
}

function nothingOffered(offers: DomainModesView): Html {
  return html`${notice('info', html`<p>No domain can be added here yet: the operator of the platform has to set up one of these first.</p>`)}${modeFacts(offers)}`;
}

function notOffered(offers: DomainModesView): Html | false {
  if (offers.modes.every(({ unavailable }) => unavailable === null)) return false;
  return html`<details class="disclosure inner"><summary>What is not offered here</summary>${modeFacts(offers)}</details>`;
}

function modeFacts({ modes }: DomainModesView): Html {
  return facts(
    modes.flatMap(({ mode, unavailable }) =>
      unavailable === null ? [] : [[MODE_NAMES[mode], `${unavailable}.`] as const],
    ),
  );
}

function addForm(offers: DomainModesView, context: Context): Html {
  return form(context, {
    ...{ action: `${domainsPath(context.params.name)}/add`, button: 'Add the domain', icon: 'plus' },
    fields: (own) => addFields(offers, own),
  });
}

function addFields(offers: DomainModesView, own: FormContext): Html {
  const offered = offers.modes.flatMap(({ mode, unavailable }) => (unavailable === null ? [mode] : []));
  const isDirect = offered.includes('direct');
  // The mode that the command line has without an option stands first.
  const [first] = isDirect ? (['direct'] as const) : offered;
  const modes =
    offered.length === 1
      ? html`<input type="hidden" name="mode" value="${first}">`
      : select(own, {
          ...{ name: 'mode', label: 'How', ...(first !== undefined && { value: first }) },
          choices: offered.map((mode) => [mode, modeLabel(mode, offers)] as const),
          hint: 'The page of the domain then has the records to set.',
        });
  return html`${field(own, {
    ...{ name: 'domain', label: 'Name', placeholder: 'shop.example.com', required: true, mono: true },
    hint: 'Add it before you set its record.',
  })}${select(own, {
    ...{ name: 'environment', label: 'Environment', value: 'prod' },
    choices: ENVIRONMENTS.map((environment) => [environment, environment] as const),
  })}${modes}${
    isDirect &&
    html`<details class="disclosure field"><summary>More, in direct mode</summary>${checkbox(own, {
      ...{ name: 'canonical', label: 'Lead the same name with www., or without, to this one' },
      hint: 'Once both are served.',
    })}${checkbox(own, {
      ...{ name: 'hsts', label: 'Tell browsers to come over TLS alone' },
      hint: 'For 180 days. A browser that was told so remembers it.',
    })}</details>`
  }`;
}
