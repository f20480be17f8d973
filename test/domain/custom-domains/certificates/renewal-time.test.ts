import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renewalTime, shareOf } from '../../../../domain/custom-domains/certificates/renewal-time.ts';

const DAY_MS = 86_400_000;
const day = (count: number): Date => new Date(Date.parse('2026-01-01T00:00:00Z') + count * DAY_MS);
const lasting = (days: number) => ({ notBefore: day(0), notAfter: day(days) });

describe('the time of a renewal', () => {
  for (const [days, expected] of [
    [90, 60],
    [45, 30],
    [6, 4],
  ] as const) {
    it(`is two thirds of ${days} days where the authority suggests nothing`, () => {
      assert.deepEqual(renewalTime(lasting(days), null, 0.5), day(expected));
    });
  }

  it('lies in the suggested window, at the share of the certificate', () => {
    const window = { start: day(50), end: day(52) };
    assert.deepEqual(
      [0, 0.5, 1].map((share) => renewalTime(lasting(90), window, share)),
      [day(50), day(51), day(52)],
    );
  });

  it('is at once where the window has passed, as before a revocation', () => {
    assert.ok(renewalTime(lasting(90), { start: day(-3), end: day(-2) }, 0.5) < day(0));
  });

  it('is before the end, whatever is suggested', () => {
    assert.deepEqual(renewalTime(lasting(100), { start: day(200), end: day(300) }, 0.5), day(95));
  });

  it('spreads certificates, each at the same place every time', () => {
    assert.deepEqual(
      ['00000000ff', 'ffffffff00', '80000000'].map(shareOf).map((share) => Math.round(share * 100)),
      [0, 100, 50],
    );
  });
});
