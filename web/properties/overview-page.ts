import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { overviewSchema, type PropertyView, propertyPageSchema } from '../../domain/properties/schema.ts';
import { whole } from '../look/chart.ts';
import { card, emptyState, partCard } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { familyTable } from './family-table.ts';
import { CALLERS, LIST_PATH, PATH, propertyPath, waitsForRecord } from './words.ts';

type Overview = z.output<typeof overviewSchema>;
type PropertyPage = z.output<typeof propertyPageSchema>;

/** The most that the API gives at once: the page says when there are more. */
const SEEN = 200;
const FAILED_SHOWN = 20;

/** The estate: how much of it is verified, by family, and what waits for somebody. */
export const overviewPage = definePage({
  module: 'properties',
  path: PATH,
  summary: 'Domains of the organisation by family, and what waits for somebody',
  nav: { label: 'Properties', icon: 'globe', group: 'platform', order: 20 },
  tab: { of: 'properties', label: 'By family', order: 0 },
  callers: CALLERS,
  load: async ({ platform }) => {
    const list = (status: PropertyView['status'], limit: number) =>
      part(platform.get('site-registry', '/api/properties', propertyPageSchema, { status, limit }));
    const [overview, failed, open] = await Promise.all([
      platform.get('site-registry', '/api/overview', overviewSchema),
      list('error', FAILED_SHOWN),
      list('unverified', SEEN),
    ]);
    return { overview, failed, open };
  },
  view: ({ overview, failed, open }, context) => ({
    title: 'Properties',
    lead: 'The domains of the organisation, and whether the search engine knows that they are ours.',
    buttons: buttons(overview, context),
    body:
      overview.total === 0
        ? card({ flush: true }, nothingYet())
        : html`${counts(overview)}${waiting(open, context)}${failures(failed, context)}
${card({ title: 'By family', flush: true, beside: html`<a href="${LIST_PATH}">All Properties</a>` }, familyTable(overview.families))}`,
  }),
});

function buttons({ automatable, verified }: Overview, context: PageContext): Html {
  const verify = automatable === 1 ? 'Verify one domain' : `Verify ${whole(automatable)} domains`;
  return html`${automatable > 0 && form(context, { action: `${PATH}/verify`, button: verify, icon: 'shield' })}
${verified > 0 && form(context, { action: `${PATH}/pull`, button: 'Pull search numbers', icon: 'search', tone: 'plain' })}
${form(context, { action: `${PATH}/sync`, button: 'Sync the domain map', tone: 'plain' })}`;
}

function nothingYet(): Html {
  const text =
    'Domains come from the domain map, which the worker finds by DOMAIN_MAP: daily, when it starts, and with the button above.';
  return emptyState({ icon: 'globe', title: 'No domains yet', text });
}

function counts({ total, verified, unverified, automatable, manual, error, ignored }: Overview): Html {
  const open =
    unverified === 0
      ? 'Nothing is left to verify.'
      : `${whole(automatable)} by the platform, ${whole(manual)} by hand.`;
  return html`<div class="stats">${stat('All', total, 'Each apex domain is one Property.', LIST_PATH)}
${stat('Verified', verified, 'The search engine shows how they are found.', `${LIST_PATH}?status=verified`)}
${stat('Not verified', unverified, `${open}${error > 0 ? ` ${whole(error)} failed.` : ''}`, `${LIST_PATH}?status=unverified`)}
${stat('Ignored', ignored, 'Neither verified nor pulled.', `${LIST_PATH}?status=ignored`)}</div>`;
}

function stat(title: string, value: number, text: string, path: string): Html {
  return html`<div class="stat"><span class="stat-title">${title}</span><a class="stat-value" href="${path}">${whole(value)}<span class="unseen"> ${title.toLowerCase()}</span></a><span class="stat-text">${text}</span></div>`;
}

/** Domains whose record a person sets; nothing where there are none. */
function waiting(open: Part<PropertyPage>, { now }: PageContext): Html | null {
  const found = open.ok ? open.value.items.filter(waitsForRecord) : [];
  if (open.ok && found.length === 0 && open.value.total <= SEEN) return null;
  return partCard(
    { title: 'Wait for a record that you set', flush: open.ok },
    open,
    ({ total }) =>
      html`<ul class="rows">${found.map(({ domain, verification: { tokenRequestedAt } }) => row(domain, 'Its nameservers are elsewhere: open it for the record.', tokenRequestedAt === null ? null : ago(tokenRequestedAt, now())))}${
        total > SEEN &&
        html`<li><div class="row-main"><span class="sub">${found.length === 0 && 'None '}of the first ${SEEN} that are not verified. <a href="${LIST_PATH}?status=unverified">See all ${whole(total)}</a></span></div></li>`
      }</ul>`,
  );
}

function failures(failed: Part<PropertyPage>, { now }: PageContext): Html | null {
  if (failed.ok && failed.value.total === 0) return null;
  return partCard(
    { title: 'Could not be verified', flush: failed.ok },
    failed,
    ({ items, total }) =>
      html`<ul class="rows">${items.map(({ domain, lastError, verification: { errorAt } }) => row(domain, lastError?.message ?? '', errorAt === null ? null : ago(errorAt, now())))}</ul>${
        total > items.length && html`<p><a href="${LIST_PATH}?status=error">All ${whole(total)} that failed</a></p>`
      }`,
  );
}

function row(domain: string, text: string, at: Html | null): Html {
  return html`<li><div class="row-main"><a href="${propertyPath(domain)}">${domain}</a><span class="sub">${text}</span></div><span class="row-side">${at}</span></li>`;
}
