import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import type { FairleadError } from '../../domain/errors.ts';
import { card, linkButton, notice, table } from '../look/components.ts';
import { form } from '../look/forms.ts';
import type { PageView } from '../page.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { recordList } from './records-card.ts';
import { domainsPath } from './words.ts';

/** The add that was refused, to be sent again as it was. */
export interface AskAgain {
  readonly csrf: string;
  readonly service: string;
  readonly fields: Readonly<Record<string, string | undefined>> & { readonly domain: string };
}

const standing = z.object({ records: z.array(z.object({ type: z.string(), content: z.string() })) });
const proven = z.object({ proof: z.object({ name: z.string(), value: z.string() }) });

/** A page with the records that are in the way of a name, and the form that replaces them. @returns its key names just these */
export function recordsInTheWay(
  refusal: FairleadError,
  again: AskAgain,
): { readonly key: string; readonly page: PageView } {
  const { records } = standing.parse(refusal.details);
  const { domain } = again.fields;
  const key = JSON.stringify(records.map(({ type, content }) => [type, content]));
  const one = records.length === 1;
  const body = html`${notice('warn', html`<p><strong>${domain}</strong> leads elsewhere already. Nothing was changed.</p>`)}${card(
    { title: one ? 'The record that stands there' : 'The records that stand there', flush: true },
    table(
      'Records that lead the name elsewhere',
      [{ label: 'Type' }, { label: 'Leads to' }],
      records.map(({ type, content }) => [html`<strong>${type}</strong>`, html`<code>${content}</code>`]),
    ),
  )}${card(
    { title: one ? 'Replace it' : 'Replace them' },
    html`<p class="quiet">What is served there now is not reached at this name any more. Records of other types, such as TXT, MX and CAA, stay as they are.</p>${formAgain(
      again,
      { button: one ? 'Replace it and add the domain' : 'Replace them and add the domain', replaces: key },
    )}`,
  )}`;
  return { key, page: pageOf(again, body) };
}

/** A page with the proof that a name asks for that somebody else has; null where the refusal has none. */
export function takenName(refusal: FairleadError, again: AskAgain): PageView | null {
  const details = proven.safeParse(refusal.details);
  if (!details.success) return null;
  const { proof } = details.data;
  const body = html`${notice('warn', html`<p><strong>${again.fields.domain}</strong> is in use. If it is yours, set this record, and add it again.</p>`)}${card(
    { title: 'Record to set', flush: true },
    recordList([{ type: 'TXT', ...proof }]),
  )}${card(
    { title: 'Add it again' },
    html`<p class="quiet">Whoever has the name keeps it while it is served and was proven to be theirs. If adding it again changes nothing, ask the operator of the platform.</p>${formAgain(again, { button: 'Add it again' })}`,
  )}`;
  return pageOf(again, body);
}

function pageOf({ service, fields: { domain } }: AskAgain, body: PageView['body']): PageView {
  return {
    title: domain,
    crumbs: serviceCrumbs(service, ['Domains', domainsPath(service)]),
    body,
  };
}

function formAgain(
  { csrf, service, fields }: AskAgain,
  { button, replaces }: { readonly button: string; readonly replaces?: string },
) {
  const given = Object.entries({ ...fields, replaces }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return form(
    { csrf, outcome: null },
    {
      action: `${domainsPath(service)}/add`,
      ...{ button, tone: replaces === undefined ? 'primary' : 'danger' },
      hidden: Object.fromEntries(given),
      beside: linkButton(domainsPath(service), 'Leave it'),
    },
  );
}
