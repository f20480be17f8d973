import { type Html, html } from '../../api/http/pages/html.ts';
import type { PropertyCounts } from '../../domain/properties/overview.ts';
import { whole } from '../look/chart.ts';
import { table } from '../look/components.ts';
import { LIST_PATH } from './words.ts';

/** The parts that a bar has, from left to right. */
const SHARES = [
  { name: 'verified', label: 'verified', count: ({ verified }: PropertyCounts) => verified },
  { name: 'error', label: 'failed', count: ({ error }: PropertyCounts) => error },
  { name: 'open', label: 'not verified', count: ({ unverified, error }: PropertyCounts) => unverified - error },
  { name: 'ignored', label: 'ignored', count: ({ ignored }: PropertyCounts) => ignored },
] as const;

const WIDTH = 100;

const COLUMNS = [
  { label: 'Family', kind: 'main' },
  { label: 'Share' },
  { label: 'Verified', kind: 'number' },
  { label: 'Not verified', kind: 'number' },
  { label: 'Ignored', kind: 'number' },
  { label: 'Source' },
] as const;

/** The estate by family: how much of each is verified, in a bar and in numbers. */
export function familyTable(families: Readonly<Record<string, PropertyCounts>>): Html {
  return html`${table(
    'Properties by family',
    COLUMNS,
    Object.entries(families).map(([family, counts]) => [
      familyCell(family, counts),
      shareBar(counts),
      whole(counts.verified),
      html`<div>${whole(counts.unverified)}${counts.unverified > 0 && html`<span class="sub">${howOpen(counts)}</span>`}</div>`,
      whole(counts.ignored),
      sourceCell(counts),
    ]),
  )}${shareKeys()}`;
}

/** A Property without a family is in no filter of the list. */
function familyCell(family: string, { total }: PropertyCounts): Html {
  const name =
    family === ''
      ? html`No family`
      : html`<a href="${`${LIST_PATH}?${new URLSearchParams({ family })}`}">${family}</a>`;
  return html`${name}<span class="sub">${total === 1 ? 'one Property' : `${whole(total)} Properties`}</span>`;
}

function howOpen({ automatable, manual, error }: PropertyCounts): string {
  const parts = [
    automatable > 0 && `${whole(automatable)} by the platform`,
    manual > 0 && `${whole(manual)} by hand`,
    error > 0 && `${whole(error)} failed`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function sourceCell({ needsGeneratedSite, keptLegacy, placeholders }: PropertyCounts): Html | null {
  const parts = [
    needsGeneratedSite > 0 && `${whole(needsGeneratedSite)} legacy`,
    keptLegacy > 0 && `${whole(keptLegacy)} legacy, kept`,
    placeholders > 0 && `${whole(placeholders)} placeholders`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : html`<div>${parts.join(', ')}</div>`;
}

/** What the numbers beside it say, as one bar; the words are for screen readers. */
function shareBar(counts: PropertyCounts): Html {
  const parts = SHARES.map(({ name, label, count }) => ({ name, label, value: count(counts) }));
  const words = parts.flatMap(({ label, value }) => (value > 0 ? [`${value} ${label}`] : [])).join(', ');
  let from = 0;
  const drawn = parts.map(({ name, label, value }) => {
    const width = (value / Math.max(1, counts.total)) * WIDTH;
    const x = from;
    from += width;
    return (
      value > 0 &&
      html`<rect class="share-${name}" x="${round(x)}" width="${round(width)}" height="10"><title>${`${value} ${label}`}</title></rect>`
    );
  });
  return html`<svg class="shares" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" role="img" aria-label="${words}">${drawn}</svg>`;
}

/** What the colours of the bars mean. */
function shareKeys(): Html {
  return html`<ul class="legend keys">${SHARES.map(
    ({ name, label }) =>
      html`<li><svg viewBox="0 0 10 10" aria-hidden="true" focusable="false"><rect class="share-${name}" width="10" height="10"></rect></svg>${label}</li>`,
  )}</ul>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
