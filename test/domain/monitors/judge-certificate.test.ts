import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeCertificate, type SeenCertificate } from '../../../domain/monitors/judge-certificate.ts';

const day = (days: number): Date => new Date(Date.parse('2026-03-01T00:00:00Z') + days * 86_400_000);
const judged = (seen: Partial<SeenCertificate>) =>
  judgeCertificate(
    { validFrom: day(-10), validTo: day(30), isForName: true, distrust: null, ...seen },
    { warnDays: 14, now: day(0) },
  );

describe('a certificate', () => {
  for (const [what, seen, outcome, problem] of [
    ['that is valid is up', {}, 'ok', null],
    ['that has as many days as are asked for is up', { validTo: day(14) }, 'ok', null],
    ['that ends sooner is slow, and not down', { validTo: day(13.9) }, 'slow', 'certificate-ends-soon'],
    ['that has ended is down', { validTo: day(-1) }, 'failed', 'certificate-expired'],
    ['that is not valid yet is down', { validFrom: day(1) }, 'failed', 'tls'],
    ['for another name is down', { isForName: false }, 'failed', 'certificate-name'],
    ['that nobody trusts is down', { distrust: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'failed', 'tls'],
  ] as const) {
    it(what, () => {
      const found = judged(seen);
      assert.deepEqual([found.outcome, found.problem], [outcome, problem]);
    });
  }
});
