import assert from 'node:assert/strict';
import { it } from 'node:test';
import { retryAfterSeconds } from '../../../adapters/git-host/retry-after.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const epoch = (seconds: number): string => String(NOW.getTime() / 1000 + seconds);

const TABLE: readonly [
  what: string,
  status: number,
  headers: Record<string, string>,
  text: string,
  seconds: number | null,
][] = [
  ['nothing wrong', 200, { 'x-ratelimit-remaining': '0' }, '', null],
  ['a refusal', 403, {}, '{"message":"Must have admin rights"}', null],
  ['a host that is away', 503, {}, '', null],
  ['seconds', 429, { 'retry-after': '30' }, '', 30],
  ['seconds of a host that is away', 503, { 'retry-after': '30' }, '', 30],
  ['a date', 429, { 'retry-after': 'Sun, 01 Mar 2026 12:02:00 GMT' }, '', 120],
  ['a date in the past', 429, { 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, '', 1],
  ['no seconds at all', 429, { 'retry-after': '0' }, '', 1],
  ['the end of a window of GitHub', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epoch(600) }, '', 600],
  ['the end of a window of GitLab', 429, { 'ratelimit-remaining': '0', 'ratelimit-reset': epoch(45) }, '', 45],
  ['a second limit without a time', 403, {}, '{"message":"You have exceeded a secondary rate limit"}', 60],
  ['nothing told', 429, {}, '', 60],
  ['garbage', 429, { 'retry-after': 'soon', 'x-ratelimit-reset': 'later' }, '', 60],
  ['a year', 429, { 'retry-after': '31536000' }, '', 3_600],
];

for (const [what, status, headers, text, seconds] of TABLE) {
  it(`waits ${seconds ?? 'not'} for ${what}`, () => {
    assert.equal(retryAfterSeconds({ status, headers, text }, NOW), seconds);
  });
}
