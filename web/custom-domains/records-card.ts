import { type Html, html } from '../../api/http/pages/html.ts';
import type { DomainView } from '../../domain/custom-domains/domain-schema.ts';
import { card, codeBlock, copyable, facts } from '../look/components.ts';

type Records = DomainView['records'];

/** What people set where the DNS of the name is; nothing where the platform sets it, or all is there. */
export function recordsCard({ state, reason, records, zone }: DomainView): Html | false {
  const isThere = state === 'active' && reason === null;
  if (isThere || state === 'removing') return false;
  const servers = state === 'pending-delegation' && zone !== null && nameServers(zone);
  return html`${records.length > 0 && card({ title: 'Records to set', flush: true }, recordList(records))}${servers}`;
}

/** Records to copy, one by one or as lines of a zone file. */
export function recordList(records: Records): Html {
  const rows = records.map(
    ({ type, name, value }) =>
      html`<li class="record"><strong>${type}</strong>${facts([
        ['Name', copyable(`the name of the ${type} record`, name)],
        ['Value', copyable(`the value of the ${type} record`, value)],
      ])}</li>`,
  );
  return html`<ul class="rows">${rows}</ul>
<details class="disclosure inset"><summary>As lines of a zone file</summary>${codeBlock('Lines of a zone file', records.map(zoneLine).join('\n'))}</details>`;
}

function zoneLine({ type, name, value }: Records[number]): string {
  const content = type === 'TXT' ? JSON.stringify(value) : type === 'CNAME' ? `${value}.` : value;
  return `${name}. ${type} ${content}`;
}

function nameServers({ name, nameServers: wanted, originalNameServers: now }: NonNullable<DomainView['zone']>): Html {
  return card(
    { title: 'Name servers to set' },
    html`<p>Set these at the registrar of <code>${name}</code>, in the place of those that it has${now.length > 0 && html` (${now.map((server, at) => html`${at > 0 && ', '}<code>${server}</code>`)})`}. What else is in its DNS has to be in the new zone before.</p>
<ul class="plain name-servers">${wanted.map((server, at) => html`<li>${copyable(`name server ${at + 1}`, server)}</li>`)}</ul>`,
  );
}
