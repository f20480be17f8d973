import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MOST_PAGE_BYTES, renderStatusPage } from '../../../api/status-page/status-document.ts';
import type { StatusIncident } from '../../../domain/status-page/status-view.ts';

const AT = new Date('2026-11-26T12:00:00Z');

/** A page whose parts count how often they are drawn. */
function countedPage(changelogs: number, incidents: number, words: string) {
  const drawn = new Map<string, number>();
  const count = (part: string): void => {
    drawn.set(part, (drawn.get(part) ?? 0) + 1);
  };
  const changelog = (index: number) => ({
    ...{ service: `service-${index}`, version: null, walkthroughUrl: null, deployedAt: AT },
    get shown() {
      count(`changelog ${index}`);
      return { blocks: [{ kind: 'text' as const, spans: [{ text: words, isCode: false }] }], isCut: false };
    },
  });
  const incident = (index: number, resolvedAt: Date | null): StatusIncident => ({
    ...{ id: `inc_${index}`, impact: 'minor', status: 'investigating', startedAt: AT, resolvedAt, components: [] },
    get title() {
      count(`incident ${index} ${resolvedAt}`);
      return words;
    },
    updates: [],
  });
  const list = (resolvedAt: Date | null) =>
    Array.from({ length: incidents }, (_, index) => incident(index, resolvedAt));
  const page = {
    ...{ title: 'Acme status', path: '/', takesSubscribers: true, histories: new Map(), components: [] },
    view: { org: 'acme', asOf: AT, components: [], open: list(null), past: list(AT), maintenances: [] },
    changelogs: Array.from({ length: changelogs }, (_, index) => changelog(index)),
    page: { number: 1, count: 1 },
  };
  return { page, drawn };
}

it('draws no part of a page again, however little fits, and leaves the oldest changelogs out first, open incidents last', () => {
  const { page, drawn } = countedPage(20, 12, '<'.repeat(900));
  const { live, stale } = renderStatusPage(page);
  // `&lt;` takes four bytes: some ten parts fit.
  for (const text of [live, stale]) assert.ok(Buffer.byteLength(text) <= MOST_PAGE_BYTES);
  assert.ok(
    [...drawn.values()].every((times) => times === 1),
    JSON.stringify([...drawn]),
  );
  assert.equal(live.match(/id="inc_/g)?.length, 8 + 0 + Number(/Past incidents<\/h2>\n<section/.test(live)));
  assert.match(live, /Incidents<\/h2>[\s\S]*And 4 more\.[\s\S]*Past incidents<\/h2>/);
  assert.ok(!live.includes('What’s new'));
});

it('fills a page to its last byte, and keeps one open incident whatever that takes', () => {
  const { live } = renderStatusPage(countedPage(20, 0, 'x'.repeat(2_500)).page);
  const length = Buffer.byteLength(live);
  const shown = live.match(/<h3>service-/g)?.length ?? 0;
  assert.ok(shown > 5 && shown < 20, `${shown} changelogs`);
  const one = Buffer.byteLength(renderStatusPage(countedPage(1, 0, 'x'.repeat(2_500)).page).live);
  const two = Buffer.byteLength(renderStatusPage(countedPage(2, 0, 'x'.repeat(2_500)).page).live);
  assert.ok(length <= MOST_PAGE_BYTES && length + (two - one) > MOST_PAGE_BYTES - 2, `${length} bytes`);
  const large = renderStatusPage(countedPage(3, 3, 'x'.repeat(60_000)).page).live;
  assert.equal(large.match(/id="inc_/g)?.length, 1);
});
