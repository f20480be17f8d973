import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toCloudflareError } from '../../../adapters/cloudflare/cloudflare-error.ts';

const answered = (status: number, after?: string) =>
  toCloudflareError({ status, headers: new Headers(after === undefined ? {} : { 'retry-after': after }), errors: [] });

it('waits for as long as Cloudflare asks for, and an hour at most', () => {
  for (const [status, after, seconds] of [
    [429, '30', 30],
    [429, undefined, 300],
    [429, '9999999999', 3_600],
    [503, '1e300', 3_600],
    [503, undefined, undefined],
  ] as const) {
    const { code, retryable, details } = answered(status, after);
    assert.deepEqual([code, retryable], ['UNAVAILABLE', true]);
    assert.deepEqual(details, { status, ...(seconds !== undefined && { retryAfterSeconds: seconds }) }, after);
  }
});
