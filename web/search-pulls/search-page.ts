import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { domainSchema, propertySchema } from '../../domain/properties/schema.ts';
import { SEARCH_TYPES } from '../../domain/search-pulls/dimensions.ts';
import { isDay } from '../../domain/search-pulls/pacific-day.ts';
import { searchReplySchema } from '../../domain/search-pulls/search-schema.ts';
import { WINDOW_DAYS } from '../../domain/search-pulls/windows.ts';
import { whole } from '../look/chart.ts';
import { card, emptyState, linkButton } from '../look/components.ts';
import { field, form, searchForm, select } from '../look/forms.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { CALLERS, emptyIsNone, PATH, propertyApi, propertyPath, stateBadge } from '../properties/words.ts';
import { changeOf, changeOfPosition, changeOfShare, percent, position } from './number-words.ts';
import { type SearchReply, searchCharts } from './search-charts.ts';
import { topTables } from './top-tables.ts';

export const searchParams = z.strictObject({ domain: domainSchema });

const [FEW_ROWS, MANY_ROWS] = [10, 200];
const DEFAULT_DAYS = 28;

const day = z.preprocess(emptyIsNone, z.string().refine(isDay, 'give a day, such as 2026-03-29').optional());
const querySchema = z.strictObject({
  days: z.preprocess(emptyIsNone, z.coerce.number().pipe(z.literal(WINDOW_DAYS)).optional()),
  from: day,
  to: day,
  type: z.enum(SEARCH_TYPES).default('web'),
  rows: z.coerce
    .number()
    .pipe(z.literal([FEW_ROWS, MANY_ROWS]))
    .default(FEW_ROWS),
});

type Query = z.output<typeof querySchema>;
type Property = z.output<typeof propertySchema>;
type Context = PageContext<z.output<typeof searchParams>, Query>;

/** What the search engine counted for a domain: totals, days, and what was searched for and found. */
export const searchPage = definePage({
  module: 'search-pulls',
  path: `${PATH}/:domain/search`,
  summary: 'Search numbers of a domain: days in charts, queries, pages, countries and devices',
  tab: { of: 'property', label: 'Search', order: 10 },
  callers: CALLERS,
  params: searchParams,
  query: querySchema,
  load: async ({ platform, params: { domain }, query: { rows, from, to, type, days } }) => {
    const asked = from === undefined && to === undefined ? { days: days ?? DEFAULT_DAYS } : { from, to };
    const numbers = { ...asked, type, limit: rows };
    const [property, found] = await Promise.all([
      platform.get('site-registry', propertyApi(domain), propertySchema),
      platform.get('site-registry', pathOf('api', 'search', domain), searchReplySchema, numbers),
    ]);
    return { property, numbers: found };
  },
  view: ({ property, numbers }, context) => ({
    title: property.domain,
    crumbs: [['Properties', PATH]],
    beside: stateBadge(property),
    lead: leadOf(numbers),
    buttons: property.status === 'verified' && pullButton(property, context),
    body: html`${choices(context)}${isEmpty(numbers) ? card({ flush: true }, nothingYet(property, numbers)) : numbersView(numbers, context)}`,
  }),
});

function leadOf({ from, to, finalThrough }: SearchReply): string {
  const last = finalThrough === null ? '' : ` Final through ${finalThrough}.`;
  return `${from} to ${to}, by days in Pacific time.${last}`;
}

function pullButton({ domain }: Property, context: Context): Html {
  return form(context, { action: propertyPath(domain, 'pull'), button: 'Pull now', icon: 'search', tone: 'plain' });
}

function isEmpty({ daily, totals }: SearchReply): boolean {
  return daily.length === 0 && totals.impressions === 0;
}

function nothingYet({ domain, status }: Property, { finalThrough }: SearchReply): Html {
  if (status !== 'verified') {
    return emptyState({
      ...{ icon: 'search', title: 'No search numbers' },
      text: 'The search engine shows the numbers of verified domains alone.',
      action: linkButton(propertyPath(domain), 'Verify it', { primary: true }),
    });
  }
  const text =
    finalThrough === null
      ? 'They are pulled daily at 11:20 UTC. The first pull reads sixteen months, and takes a while.'
      : 'Nothing is stored of this time, or of this type of search.';
  return emptyState({ icon: 'search', title: 'No search numbers yet', text });
}

/** The period and the type of search; each is an address of its own. */
function choices({ params: { domain }, query }: Context): Html {
  const path = propertyPath(domain, 'search');
  const isRange = query.from !== undefined || query.to !== undefined;
  const chosen = isRange ? null : (query.days ?? DEFAULT_DAYS);
  const ofType = query.type === 'web' ? {} : { type: query.type };
  const links = WINDOW_DAYS.map((days) => {
    const asked = new URLSearchParams({ ...ofType, days: String(days) });
    return html`<a class="segment" href="${`${path}?${asked}`}"${days === chosen && html` aria-current="true"`}>${days} days</a>`;
  });
  const none = { outcome: null };
  return html`<p class="segmented" role="group" aria-label="Period">${links}</p>
<details class="more"${isRange && html` open`}><summary>Another range, or type of search</summary>${searchForm({
    path,
    ...{ button: 'Show', active: isRange || query.type !== 'web' },
    fields: html`${field(none, { name: 'from', label: 'From', type: 'date', value: query.from ?? '' })}
${field(none, { name: 'to', label: 'To, included', type: 'date', value: query.to ?? '' })}
${select(none, { name: 'type', label: 'Type of search', value: query.type, choices: SEARCH_TYPES.map((type) => [type, TYPE_WORDS[type]] as const) })}`,
  })}</details>`;
}

const TYPE_WORDS: Readonly<Record<Query['type'], string>> = {
  web: 'Web',
  image: 'Images',
  video: 'Videos',
  news: 'News',
};

function numbersView(numbers: SearchReply, { url, query }: Context): Html {
  const asked = new URL(url, 'http://console');
  asked.searchParams.set('rows', String(MANY_ROWS));
  const more = query.rows === MANY_ROWS ? null : `${asked.pathname}${asked.search}`;
  return html`${totals(numbers)}${searchCharts(numbers)}${topTables(numbers, more)}
<p class="quiet small">Rows of a table add up to less than the totals: the search engine leaves out what few people searched for.</p>`;
}

/** The totals, and how they differ from as many days before, where all of those are stored. */
function totals({ totals: now, prior, from, to }: SearchReply): Html {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
  const isKnown = prior.storedDays === days;
  const before = prior.totals;
  const against = (change: string | null): string =>
    isKnown && change !== null ? `${change} in the ${days} days before` : '';
  return html`<div class="stats">${stat('Clicks', whole(now.clicks), against(changeOf(now.clicks, before.clicks)))}
${stat('Impressions', whole(now.impressions), against(changeOf(now.impressions, before.impressions)))}
${stat('Click rate', percent(now.ctr), against(changeOfShare(now.ctr, before.ctr)))}
${stat('Mean position', position(now.position), against(changeOfPosition(now.position, before.position)))}</div>`;
}

function stat(title: string, value: string, text: string): Html {
  return html`<div class="stat"><span class="stat-title">${title}</span><span class="stat-value">${value}</span><span class="stat-text">${text}</span></div>`;
}
