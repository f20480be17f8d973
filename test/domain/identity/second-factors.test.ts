import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factorsSince, hasSecondFactor, outliveReset } from '../../../domain/identity/second-factors.ts';
import { at, passkey, totpFactor } from '../../ports/identity/records.ts';

const DAY_MS = 86_400_000;
const later = (days: number) => new Date(at(0).getTime() + days * DAY_MS);

test('second factors are as old as the first one they descend from; one that is unconfirmed is none', () => {
  const none = { totp: totpFactor({ confirmedAt: null, since: null }), passkeys: [] };
  assert.deepEqual([hasSecondFactor(none), factorsSince(none)], [false, null]);
  const since = later(3);
  assert.deepEqual(
    factorsSince({ totp: totpFactor({ since }), passkeys: [passkey('a'), passkey('b', { since })] }),
    at(0),
  );
});

test('they outlive a reset from the seventh day on, and nobody outlives it without one', () => {
  const factors = { totp: totpFactor(), passkeys: [] };
  assert.equal(outliveReset(factors, new Date(later(7).getTime() - 1)), false);
  assert.equal(outliveReset(factors, later(7)), true);
  assert.equal(outliveReset({ totp: null, passkeys: [] }, later(100)), false);
});
