import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderHtml } from '../../../api/http/pages/html.ts';
import { type LineChart, lineChart, type Point } from '../../../web/look/line-chart.ts';

const points = (...values: readonly (number | null)[]): readonly Point[] =>
  values.map((value, index) => ({ label: `2026-06-0${index + 1}`, value }));
const draw = (list: readonly Point[], more: Partial<LineChart> = {}): string =>
  renderHtml(
    lineChart({ title: 'Clicks by day', points: list, write: (value) => `${value} clicks`, mark: String, ...more }),
  );
const lineOf = (markup: string): string => /class="chart-line" d="([^"]*)"/.exec(markup)?.[1] ?? '';
const heights = (markup: string): readonly number[] =>
  [...lineOf(markup).matchAll(/[ML][\d.]+,([\d.]+)|L?[\d.]+,([\d.]+)/g)].map(([, a, b]) => Number(a ?? b));

describe('a line chart', () => {
  it('stands on zero, and is the higher the more there is', () => {
    const [none = 0, some = 0, most = 0] = heights(draw(points(0, 5, 10)));
    assert.ok(none > some && some > most);
    assert.equal(none - some, some - most, 'the scale is even');
  });

  it('has the best place of a list at the top, and no line above it', () => {
    const markup = draw(points(1, 12), { bestIsLow: true, mark: (value) => `place ${value}` });
    const [first = 0, twelfth = 0] = heights(markup);
    assert.ok(first < twelfth);
    assert.match(markup, />place 1</);
    assert.doesNotMatch(markup, /chart-area|place 0</);
  });

  it('has a gap where nothing is known, and says so to whoever points there', () => {
    const markup = draw(points(1, null, 3));
    assert.equal(lineOf(markup).match(/M/g)?.length, 2);
    assert.match(markup, /<title>2026-06-02: not known<\/title>/);
    assert.match(markup, /aria-label="Clicks by day: between 1 clicks and 3 clicks, from 2026-06-01 to 2026-06-03"/);
  });

  it('has a scale of whole numbers for counts, however small', () => {
    const marks = [...draw(points(0, 1), { whole: true }).matchAll(/class="chart-mark chart-end"[^>]*>([^<]*)</g)];
    assert.deepEqual(
      marks.map(([, text]) => text),
      ['0', '1'],
    );
  });

  it('is drawn of one day, of none, of nothing known, and of a long time', () => {
    for (const list of [points(4), points(), points(null, null)]) {
      const markup = draw(list);
      assert.doesNotMatch(markup, /NaN|Infinity|undefined/);
    }
    assert.match(draw(points()), /nothing is known/);
    const long = draw(Array.from({ length: 480 }, (_, index) => ({ label: `day ${index}`, value: index })));
    assert.doesNotMatch(long, /<title>/, 'nobody points at a day that is a pixel wide');
    assert.ok(long.length < 20_000, `${long.length} characters`);
  });

  it('escapes what it is given, and has no style of its own, which the page forbids', () => {
    const markup = draw([{ label: '<b>"x"', value: 1 }], { title: '"><script>' });
    assert.doesNotMatch(markup, /<script|<b>|style=/);
  });
});
