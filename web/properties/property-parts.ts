import type { z } from 'zod';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import type { PropertyView, propertyWithTimelineSchema } from '../../domain/properties/schema.ts';
import { card, facts, notice } from '../look/components.ts';
import { confirmForm, field, form } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { propertyPath, SOURCE_WORDS, waitsForRecord, wayOf } from './words.ts';

export type ShownProperty = z.output<typeof propertyWithTimelineSchema>;

/** What failed, what was lost, and what to do about it. */
export function notices({ domain, lastError, verification, ignored, map }: ShownProperty): Html {
  const { recordSeen, checkedAt } = verification;
  const isWithoutRecord = verification.state === 'verified' && recordSeen === false;
  return html`${lastError !== null && notice('bad', html`<p><strong>${lastError.code}</strong>: ${lastError.message}. Verify it once more when that is mended.</p>`)}${
    isWithoutRecord &&
    notice(
      'warn',
      html`<p>The public DNS did not show the record any more${checkedAt !== null && ` on ${exact(checkedAt)}`}. The search engine still confirms ${domain}, and gives it up some time after its record: set the record again.</p>`,
    )
  }${ignored !== null && notice('info', html`<p>It is ignored${ignored.by === 'map' && ' by the domain map'}: neither verified nor pulled.${ignored.reason !== null && ` ${ignored.reason}`}</p>`)}${
    map !== null &&
    map.leftAt !== null &&
    notice('info', html`<p>The domain map has it no more since ${exact(map.leftAt)}. It is kept.</p>`)
  }`;
}

/** The record that verifies the domain, exactly as it is set; for whoever sets it by hand. */
export function recordCard(property: ShownProperty, context: PageContext): Html | null {
  const { domain, status, automatable, verification } = property;
  const { token, state } = verification;
  const isLost = state === 'verified' && verification.recordSeen === false;
  if (status === 'ignored' || (state === 'verified' && !isLost)) return null;
  if (verification.path === 'automatic' || (automatable && verification.path === null)) return null;
  if (token === null) return recordToAskFor(domain, context);
  return card(
    { title: 'The record to set', id: 'record' },
    html`<p>The nameservers of ${domain} are elsewhere. Add this record where its DNS is kept, beside those that are there: none of them is replaced.</p>
${facts([
  ['Type', html`<code class="value">TXT</code>`],
  [
    'Name, or host',
    html`<code class="value">@</code><span class="sub">or <code>${domain}</code>, where the form wants the whole name</span>`,
  ],
  ['Value', html`<code class="value">${token}</code>`],
  ['TTL', html`300, or what the form suggests`],
])}
<div class="card-actions">${form(context, {
      action: propertyPath(domain, 'check'),
      ...{ button: 'Check now', icon: 'check' },
      tone: waitsForRecord(property) ? 'primary' : 'plain',
    })}</div>
<p class="hint">The search engine is asked once. A new record takes minutes, at times an hour, until everybody sees it.</p>`,
  );
}

function recordToAskFor(domain: string, context: PageContext): Html {
  return card(
    { title: 'The record to set', id: 'record' },
    html`<p>The nameservers of ${domain} are elsewhere: you set a record where its DNS is kept. The search engine says which.</p>
${form(context, { action: propertyPath(domain, 'record'), button: 'Ask for the record', icon: 'key' })}`,
  );
}

export function about(property: ShownProperty, { now }: Pick<PageContext, 'now'>): Html {
  const { family, role, source, verification, map, createdAt } = property;
  const { checkedAt, verifiedAt } = verification;
  const rows: readonly (readonly [string, HtmlValue] | null)[] = [
    ['Family', family ?? none()],
    ['Role', role ?? none()],
    ['Source', source === null ? none() : sourceText(source)],
    ['DNS', wayOf(property)],
    verifiedAt === null ? null : ['Verified', ago(verifiedAt, now())],
    checkedAt === null ? null : ['Last checked', ago(checkedAt, now())],
    map === null ? null : ['In the domain map since', exact(map.seenAt)],
    ['Here since', exact(createdAt)],
  ];
  return facts(rows.filter((row) => row !== null));
}

function sourceText({ kind, keep, keepReason, placeholder }: NonNullable<PropertyView['source']>): Html {
  const more = [keep && `kept${keepReason === null ? '' : `: ${keepReason}`}`, placeholder && 'a placeholder'];
  const words = more.filter((one) => one !== false).join(', ');
  return html`${SOURCE_WORDS[kind]}${words !== '' && html`<span class="sub">${words}</span>`}`;
}

const none = (): Html => html`<span class="quiet">None</span>`;

/** Owners at the search engine; people are added once the domain is verified. */
export function ownersCard({ domain, verification: { owners, state } }: ShownProperty, context: PageContext): Html {
  const list =
    owners.length === 0
      ? html`<p class="quiet">Nobody but the platform's own account.</p>`
      : html`<ul class="plain stack-small">${owners.map((owner) => html`<li class="long">${owner}</li>`)}</ul>`;
  if (state !== 'verified')
    return card({ title: 'Owners' }, html`<p class="quiet">Only a verified domain has owners.</p>`);
  return card(
    { title: 'Owners' },
    html`${list}<div class="card-actions">${form(context, {
      action: propertyPath(domain, 'owners'),
      ...{ button: 'Add an owner', icon: 'plus', tone: 'plain' },
      fields: (own) =>
        field(own, {
          ...{ name: 'email', label: 'E-mail address of a Google account', type: 'email', required: true },
          hint: 'Owners see its numbers in Search Console.',
        }),
    })}</div>`,
  );
}

/** Takes a domain out of everything, or back in. */
export function ignoreCard({ domain, ignored }: ShownProperty, context: PageContext): Html {
  const action = propertyPath(domain, 'ignore');
  if (ignored !== null) {
    return card(
      { title: 'Ignored' },
      html`<p class="quiet">Since ${exact(ignored.at)}, by ${ignored.actor === null ? 'the domain map' : context.who(ignored.actor)}.</p>
${form(context, { action, button: 'Ignore it no longer', icon: 'undo', tone: 'plain', hidden: { ignored: 'no' } })}`,
    );
  }
  return card(
    { title: 'Ignore' },
    confirmForm(context, {
      ...{ action, label: 'Ignore this domain', icon: 'x', button: 'Ignore it' },
      question:
        'It is neither verified nor pulled any more, whatever the domain map says; a run that verifies it ends.',
      hidden: { ignored: 'yes' },
      fields: (own) => field(own, { name: 'reason', label: 'Why', placeholder: 'sold' }),
    }),
  );
}

const EVENTS: Readonly<Record<string, string>> = {
  added: 'Added',
  ignored: 'Ignored',
  unignored: 'Ignored no longer',
  'left-map': 'Left the domain map',
  'back-in-map': 'Back in the domain map',
  'owner-added': 'Owner added',
  checked: 'Checked',
  manual: 'Waits for a record that you set',
  'token-requested': 'The search engine gave the text of the record',
  'txt-written': 'The record was written',
  verifying: 'The public DNS shows the record',
  verified: 'Verified',
  error: 'Failed',
};

/** What happened to it, the newest first. */
export function timeline({ timeline: entries }: ShownProperty): Html {
  return html`<ul class="rows">${entries
    .toReversed()
    .map(
      ({ at, event, detail }) =>
        html`<li><div class="row-main">${EVENTS[event] ?? event}${detail !== null && html`<span class="sub">${detail}</span>`}</div><span class="row-side"><time datetime="${at}">${exact(at)}</time></span></li>`,
    )}</ul>`;
}
