import { type Html, html } from '../../api/http/pages/html.ts';
import type { NightView } from '../../domain/backups/backup-schema.ts';
import { addNights, type Night } from '../../domain/backups/night.ts';
import { backupPath, nightWords } from './words.ts';

/** Nights that a calendar shows. */
export const NIGHTS_SHOWN = 90;

const [CELL, STEP, LEFT, TOP] = [14, 18, 32, 16];
const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** A mark in a cell, so that no colour is needed to tell the states apart; lines of a 14 × 14 drawing. */
const MARKS = {
  verified: 'M3.5 7.5 6 10l4.5-6',
  completed: '',
  failed: 'm4 4 6 6m0-6-6 6',
  missed: 'M7 3v5M7 10.5v.5',
  skipped: 'M4 7h6',
  pruned: 'M6.5 7h1',
  running: 'M7 4v3l2 1.5',
  none: '',
} as const;

type Mark = keyof typeof MARKS;

const LEGEND: readonly (readonly [mark: Mark, text: string])[] = [
  ['verified', 'backup, restored for proof'],
  ['completed', 'backup'],
  ['failed', 'failed'],
  ['missed', 'missed: the platform was away'],
  ['skipped', 'skipped'],
  ['pruned', 'deleted by retention'],
  ['none', 'nothing on record'],
];

interface Calendar {
  readonly service: string;
  /** Such as `PostgreSQL shop_prod`. */
  readonly of: string;
  /** At most one for each night; others are not shown. */
  readonly nights: readonly NightView[];
  /** The last night that is shown. */
  readonly until: Night;
}

/** The nights of a database, a column a week; what it draws stands in a table as well, which names every reason. */
export function nightCalendar({ service, of, nights, until }: Calendar): Html {
  const byNight = new Map(nights.map((night) => [night.night, night]));
  const first = addNights(until, 1 - NIGHTS_SHOWN);
  const shown = Array.from({ length: NIGHTS_SHOWN }, (_, index) => {
    const night = addNights(first, index);
    return { night, found: byNight.get(night) ?? null };
  });
  const offset = weekday(first);
  const columnOf = (index: number): number => Math.floor((offset + index) / WEEK.length);
  // A name is wider than a column: the first month has none where the next one would be written over it.
  const begins = shown.findIndex(({ night }, index) => index > 0 && night.endsWith('-01'));
  const isNamed = (index: number): boolean =>
    index === 0 ? columnOf(begins) >= 2 : shown[index]?.night.endsWith('-01') === true;
  const width = LEFT + Math.ceil((offset + NIGHTS_SHOWN) / WEEK.length) * STEP;
  const height = TOP + WEEK.length * STEP;
  const summary = summaryOf(shown.flatMap(({ found }) => found ?? []));
  return html`<figure class="nights"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${`Nights of ${of}: ${summary}`}">
${WEEK.map((day, row) => row % 2 === 0 && html`<text x="0" y="${TOP + row * STEP + CELL - 3}">${day}</text>`)}
${shown.map(({ night, found }, index) => {
  const x = LEFT + columnOf(index) * STEP;
  const y = TOP + ((offset + index) % WEEK.length) * STEP;
  return html`${isNamed(index) && html`<text x="${x}" y="10">${monthOf(night)}</text>`}${cell(found, { x, y, title: `${night}: ${found === null ? 'nothing on record' : nightWords(found)}` })}`;
})}</svg>
<figcaption><p class="small">${summary}</p>${legend(shown.map(({ found }) => markOf(found)))}
<details class="disclosure"><summary>Nights in words</summary>${words(service, nights, first)}</details></figcaption></figure>`;
}

function cell(found: NightView | null, { x, y, title }: { x: number; y: number; title: string }): Html {
  return html`<g transform="translate(${x} ${y})" class="night night-${markOf(found)}"><title>${title}</title>${shape(markOf(found))}</g>`;
}

function shape(mark: Mark): Html {
  return html`<rect width="${CELL}" height="${CELL}" rx="3"></rect>${MARKS[mark] !== '' && html`<path d="${MARKS[mark]}"></path>`}`;
}

function markOf(found: NightView | null): Mark {
  if (found === null) return 'none';
  return found.status === 'completed' && found.isVerified ? 'verified' : found.status;
}

/** What the marks that are shown mean. */
function legend(shown: readonly Mark[]): Html {
  const used = LEGEND.filter(([mark]) => shown.includes(mark));
  return html`<ul class="legend">${used.map(
    ([mark, text]) =>
      html`<li><svg viewBox="0 0 ${CELL} ${CELL}" aria-hidden="true" focusable="false" class="night night-${mark}">${shape(mark)}</svg>${text}</li>`,
  )}</ul>`;
}

function words(service: string, nights: readonly NightView[], first: Night): Html {
  const listed = nights.filter(({ night }) => night >= first);
  if (listed.length === 0) return html`<p class="quiet">No night is on record yet.</p>`;
  return html`<table class="table"><caption class="unseen">Nights, newest first</caption><thead><tr><th scope="col">Night</th><th scope="col">What became of it</th></tr></thead>
<tbody>${listed.map(
    (night) =>
      html`<tr><th scope="row" class="main"><a href="${backupPath(service, night.backupId)}">${night.night}</a></th><td data-label="Result">${nightWords(night)}</td></tr>`,
  )}</tbody></table>`;
}

/** Such as `85 nights with a backup, 2 failed, 1 missed`. */
function summaryOf(nights: readonly NightView[]): string {
  const count = (statuses: readonly NightView['status'][]): number =>
    nights.filter(({ status }) => statuses.includes(status)).length;
  // Retention deletes backups that were good.
  const made = count(['completed', 'pruned']);
  const others = (['failed', 'missed', 'skipped'] as const).flatMap((status) => {
    const number = count([status]);
    return number === 0 ? [] : [`${number} ${status}`];
  });
  return [`${made} of the last ${NIGHTS_SHOWN} nights with a backup`, ...others].join(', ');
}

/** 0 for Monday. */
function weekday(night: Night): number {
  return (new Date(night).getUTCDay() + 6) % 7;
}

function monthOf(night: Night): string {
  return new Date(night).toLocaleDateString('en-GB', { month: 'short', timeZone: 'UTC' });
}
