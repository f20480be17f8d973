import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOrgAllowance } from '../../activities/org-allowance.ts';

it('an org that has had its part waits for the end of the span, and no other does', () => {
  let now = 1_000;
  const allowance = createOrgAllowance({ what: 'Looks', most: 2, withinMs: 60_000, clock: () => now });
  const refused = { code: 'UNAVAILABLE', retryable: true, details: { retryAfterSeconds: 50 } };
  for (const _ of [1, 2]) {
    allowance.requireRoom('acme');
    allowance.note('acme');
  }
  now += 10_000;
  assert.throws(() => allowance.requireRoom('acme'), refused);
  allowance.requireRoom('globex');
  now += 50_000;
  allowance.requireRoom('acme');
});

it('what an org began comes to its end, and counts', () => {
  const allowance = createOrgAllowance({ what: 'Looks', most: 2, withinMs: 60_000, clock: () => 1_000 });
  for (const _ of [1, 2, 3]) allowance.note('acme');
  assert.throws(() => allowance.requireRoom('acme'), { code: 'UNAVAILABLE' });
});
