import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { VerificationRuns } from '../../../domain/audit-ledger/verification.ts';
import type { HistoryRequest } from '../../../domain/audit-ledger/verify-history.ts';

const of = (namespace: string): HistoryRequest => ({ kind: 'namespace', namespace, expectedHead: null });

/**
 * What every {@link VerificationRuns} guarantees.
 * @param create is called once a test runs
 * @param held does something while no verification comes to its end
 */
export function verificationRunsSuite(
  create: () => VerificationRuns,
  held: (work: () => Promise<void>) => Promise<void>,
): void {
  it('VerificationRuns: a run is found by its owner, and by nobody else', async () => {
    const runs = create();
    const id = await runs.start('suite', of('nobody'));
    assert.match(id, /^ver_/);
    const found = await runs.find(id, 'suite');
    assert.equal(found?.id, id);
    assert.ok(found.status === 'running' || found.verdict !== null);
    assert.equal(await runs.find(id, 'other'), null);
    for (const unknown of ['ver_none', 'ver_1_00000000-0000-4000-8000-000000000000', '', '../1']) {
      assert.equal(await runs.find(unknown, 'suite'), null, unknown);
    }
  });

  it('VerificationRuns: an org has two under way, a repeated request joins its own, and other orgs do not wait', async () => {
    const runs = create();
    await held(async () => {
      const ids = [await runs.start('busy', of('a')), await runs.start('busy', of('b'))];
      assert.equal(new Set(ids).size, 2);
      assert.deepEqual([await runs.start('busy', of('a')), await runs.start('busy', of('b'))], ids);
      await assert.rejects(runs.start('busy', of('c')), { code: 'RATE_LIMITED' });
      assert.ok(!ids.includes(await runs.start('calm', of('a'))));
      for (const id of ids) assert.equal((await runs.find(id, 'busy'))?.status, 'running');
    });
  });
}
