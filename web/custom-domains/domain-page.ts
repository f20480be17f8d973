import type { z } from 'zod';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { type DomainView, domainNameSchema, domainViewSchema } from '../../domain/custom-domains/domain-schema.ts';
import { statesOf } from '../../domain/custom-domains/state-table.ts';
import { FairleadError } from '../../domain/errors.ts';
import { SERVICE_CALLBACK_PATH } from '../../domain/oauth-clients/redirect-uri.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { pollRegions } from '../live/poll.ts';
import { card, externalLink, facts, liveRegion, notice } from '../look/components.ts';
import { confirmForm, form } from '../look/forms.ts';
import { icon } from '../look/icons.ts';
import { ago, exact } from '../look/time.ts';
import { mayChange } from '../members.ts';
import { definePage, type PageContext } from '../page.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { serviceParams } from './domains-page.ts';
import { recordsCard } from './records-card.ts';
import {
  domainApi,
  domainPath,
  domainsPath,
  MODE_NAMES,
  partsOf,
  STEPS,
  sentence,
  stateBadge,
  withoutProofs,
} from './words.ts';

export const domainParams = serviceParams.extend({ domain: domainNameSchema });
const LOOK_MS = 3_000;

type Context = PageContext<z.output<typeof domainParams>>;

/**
 * A name as it was seen last: an open page asks no DNS server. Neither a page nor a form of one service has a name of another one.
 * @throws DOMAIN_NOT_FOUND
 */
export async function readDomain({
  platform,
  name,
  domain,
}: Pick<Context, 'platform'> & z.output<typeof domainParams>): Promise<DomainView> {
  const found = await platform.get('builder', domainApi(domain), domainViewSchema);
  if (found.service === name) return found;
  throw new FairleadError('DOMAIN_NOT_FOUND', `No such domain of ${name}: ${domain}`);
}

const load = ({ platform, params }: Context): Promise<DomainView> => readDomain({ platform, ...params });

/** One name: the records to set, how far it is, what each DNS server said, and its removal. */
export const domainPage = definePage({
  module: 'custom-domains',
  path: '/services/:name/domains/:domain',
  summary: 'One custom domain: records to set, progress, certificate',
  under: '/services',
  params: domainParams,
  load,
  people: ({ addedBy }) => ({ ids: [addedBy] }),
  view: (domain, context) => {
    const { name } = context.params;
    const isChanged = mayChange(context) && domain.state !== 'removing';
    const shown = html`${liveRegion('records', html`${recordsCard(domain)}`)}${liveRegion('answers', html`${answersCard(domain)}`)}${liveRegion('about', aboutCard(domain, context))}`;
    return {
      title: domain.domain,
      crumbs: serviceCrumbs(name, ['Domains', domainsPath(name)]),
      beside: liveRegion('state', stateBadge(domain), 'polite'),
      lead: html`${MODE_NAMES[domain.mode]} · ${environmentBadge(domain.environment)}`,
      buttons: isChanged && verifyForm(domain, context),
      body: html`${liveRegion('progress', progress(domain), 'polite')}${isChanged ? html`<div class="columns"><div>${shown}</div><div>${removalCard(domain, context)}</div></div>` : shown}`,
    };
  },
  live: (opened) =>
    pollRegions(opened, LOOK_MS, async () => {
      const domain = await load(opened);
      return {
        state: stateBadge(domain),
        progress: progress(domain),
        records: html`${recordsCard(domain)}`,
        answers: html`${answersCard(domain)}`,
        about: aboutCard(domain, opened),
      };
    }),
});

function verifyForm({ domain, service }: DomainView, context: Context): Html {
  return form(context, {
    action: `${domainPath(service, domain)}/verify`,
    ...{ button: 'Verify now', icon: 'search', tone: 'plain' },
  });
}

/** What to do next, above the steps of the mode. */
function progress(domain: DomainView): Html {
  const { state, reason, message } = domain;
  const isLost = state === 'active' && reason !== null;
  return html`${
    isLost &&
    notice(
      'warn',
      html`<p>It is served still, and its record is not as it has to be. Where that lasts, it waits for the record again.</p>`,
    )
  }${state === 'failed' && notice('bad', html`<p>Nobody looks at it any more: correct what is named below, then choose <strong>Verify now</strong>.</p>`)}${
    message !== null && state !== 'failed' && notice('info', html`<p>${withoutProofs(message, domain)}.</p>`)
  }${state !== 'removing' && state !== 'failed' && stepper(domain)}`;
}

function stepper({ mode, state }: DomainView): Html {
  const steps = statesOf(mode).filter((step) => step !== 'failed');
  const at = (steps as readonly string[]).indexOf(state);
  return html`<ol class="stepper">${steps.map((step, place) => {
    const isDone = place < at || state === 'active';
    return html`<li${isDone && html` class="done"`}${place === at && !isDone && html` aria-current="step"`}><span class="stepper-mark">${isDone ? icon('check') : place + 1}</span>${STEPS[step]}${isDone && html`<span class="unseen">, done</span>`}</li>`;
  })}</ol>`;
}

/** What was seen at the last look, where it is not as it has to be. */
function answersCard(domain: DomainView): Html | false {
  const { state, reason, resolvedTarget } = domain;
  if (reason === null) return false;
  const { what, said } = partsOf(reason);
  return card(
    { title: state === 'active' ? 'What was seen' : 'What is missing', id: 'answers', flush: true },
    html`<p>${sentence(withoutProofs(what, domain))}</p>${said.length > 0 && html`<ul class="rows answers">${said.map((one) => html`<li><span class="row-main">${one}</span></li>`)}</ul>`}${
      resolvedTarget !== null &&
      resolvedTarget !== '' &&
      html`<p class="quiet">It leads to <code>${resolvedTarget}</code> now.</p>`
    }`,
  );
}

function aboutCard(domain: DomainView, { now, who }: Pick<Context, 'now' | 'who'>): Html {
  const { state, observedAt, verifiedAt, addedAt, addedBy, replacedRecord, expectedTarget } = domain;
  const rows: readonly (readonly [string, HtmlValue] | null)[] = [
    state === 'active' ? ['Address', externalLink(`https://${domain.domain}`)] : null,
    ['Has to lead to', html`<code>${expectedTarget}</code>`],
    ...certificateRows(domain, now()),
    verifiedAt === null ? null : ['First served', exact(verifiedAt)],
    ['Looked at', observedAt === null ? html`<span class="quiet">Not yet</span>` : ago(observedAt, now())],
    domain.canonical ? ['Canonical', 'Its counterpart with or without www. is led to it'] : null,
    domain.hsts ? ['TLS alone', 'Browsers are told so for 180 days'] : null,
    replacedRecord === null
      ? null
      : ['Took the place of', html`<code>${replacedRecord.type} ${replacedRecord.content}</code>`],
    ['Added', html`${ago(addedAt, now())} by ${who(addedBy)}`],
  ];
  return card({ title: 'About' }, facts(rows.filter((row) => row !== null)));
}

function certificateRows({ mode, certificate }: DomainView, now: Date): readonly (readonly [string, HtmlValue])[] {
  if (mode !== 'direct') return [['Certificate', 'At the edge']];
  if (certificate === null || certificate.expiresAt === null) {
    return [['Certificate', html`<span class="quiet">None yet</span>`]];
  }
  const { expiresAt, servedAt } = certificate;
  return [
    ['Certificate until', exact(expiresAt)],
    ['Seen served', servedAt === null ? html`<span class="quiet">Not yet</span>` : ago(servedAt, now)],
  ];
}

function removalCard({ domain, service, environment, mode }: DomainView, context: Context): Html {
  const written = mode === 'cloudflare' && ', the record that the platform wrote';
  return card(
    { title: 'Remove' },
    html`<p class="quiet">Other services get the name in the next 90 days only with a proof that it is theirs.</p>${confirmForm(
      context,
      {
        action: `${domainPath(service, domain)}/remove`,
        ...{ label: 'Remove the domain', icon: 'x', button: 'Remove it' },
        question: html`<strong>${domain}</strong> will lead to ${service} (${environment}) no more. With it go its route, its certificate${written} and, of an OAuth client, the callback <code>https://${domain}${SERVICE_CALLBACK_PATH}</code>`,
        beside: html`<span class="small quiet">At a terminal: <code>fairlead domain remove ${domain}</code></span>`,
      },
    )}`,
  );
}
