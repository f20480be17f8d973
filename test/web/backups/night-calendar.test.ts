import assert from 'node:assert/strict';
import { it } from 'node:test';
import { renderHtml } from '../../../api/http/pages/html.ts';
import { addNights } from '../../../domain/backups/night.ts';
import { nightCalendar } from '../../../web/backups/night-calendar.ts';

/** Pixels that the longest name of a month takes, in the letters of the calendar. */
const WIDEST = 30;

it('no name of a month is written over another, whatever day it is', () => {
  for (let day = 0; day < 366; day += 1) {
    const until = addNights('2026-01-01', day);
    const text = renderHtml(nightCalendar({ service: 'shop', of: 'PostgreSQL shop_prod', nights: [], until }));
    const at = [...text.matchAll(/<text x="(\d+)" y="10">(\w+)<\/text>/g)].map(([, x]) => Number(x));
    assert.ok(at.length >= 2, until);
    for (const [index, x] of at.slice(1).entries()) assert.ok(x - (at[index] ?? 0) >= WIDEST, until);
  }
});
