import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { VerificationRuns } from '../../../domain/audit-ledger/verification.ts';

/** What every {@link VerificationRuns} guarantees. @param create is called once a test runs */
export function verificationRunsSuite(create: () => VerificationRuns): void {
  it('VerificationRuns: a run is found by its owner, and by nobody else', async () => {
    const runs = create();
    await runs.start('ver_suite', 'acme', { kind: 'namespace', namespace: 'nobody', expectedHead: null });
    const found = await runs.find('ver_suite', 'acme');
    assert.equal(found?.id, 'ver_suite');
    assert.ok(found.status === 'running' || found.verdict !== null);
    assert.equal(await runs.find('ver_suite', 'other'), null);
    assert.equal(await runs.find('ver_none', 'acme'), null);
  });
}
