import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { VerifyJobStore } from '../../../domain/properties/ports.ts';
import type { DomainOutcome, VerifyJob } from '../../../domain/properties/verify-job.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const LATER = new Date('2026-11-01T11:00:00Z');

export function verifyJob(changes: Partial<VerifyJob> = {}): VerifyJob {
  return {
    ...{ id: `job_${randomBytes(8).toString('hex')}`, kind: 'verify', status: 'running', domains: ['a.com'] },
    ...{ outcomes: [], requestedBy: 'usr_ada', createdAt: AT, finishedAt: null },
    ...changes,
  };
}

/** What every {@link VerifyJobStore} guarantees. */
export function verifyJobStoreSuite(store: () => VerifyJobStore): void {
  describe('VerifyJobStore', () => {
    const outcome = (domain: string, changes: Partial<DomainOutcome> = {}): DomainOutcome => {
      return { domain, outcome: 'verified', message: null, at: LATER, ...changes };
    };

    it('gives back what was put in, and nothing once it is removed', async () => {
      const job = verifyJob();
      await store().insert(job);
      assert.deepEqual(await store().find(job.id), job);
      await store().remove(job.id);
      assert.equal(await store().find(job.id), null);
    });

    it('is done with the last outcome, however many come at once', async () => {
      const domains = Array.from({ length: 8 }, (_, index) => `d${index}.com`);
      const job = verifyJob({ domains });
      await store().insert(job);
      const [last = '', ...others] = domains;
      await Promise.all(others.map((domain) => store().recordOutcome(job.id, outcome(domain))));
      const running = await store().find(job.id);
      assert.deepEqual([running?.status, running?.outcomes.length], ['running', 7]);
      await store().recordOutcome(job.id, outcome(last));
      const done = await store().find(job.id);
      assert.deepEqual([done?.status, done?.finishedAt], ['done', LATER]);
      assert.deepEqual(new Set(done?.outcomes.map(({ domain }) => domain)), new Set(domains));
    });

    it('keeps the first outcome of a domain, and none of a domain that is not its own', async () => {
      const job = verifyJob({ domains: ['a.com', 'b.com'] });
      await store().insert(job);
      await store().recordOutcome(job.id, outcome('a.com'));
      await store().recordOutcome(job.id, outcome('a.com', { outcome: 'error' }));
      await store().recordOutcome(job.id, outcome('c.com'));
      await store().recordOutcome('job_nothing', outcome('a.com'));
      assert.deepEqual((await store().find(job.id))?.outcomes, [outcome('a.com')]);
    });

    it('cuts a long message, so that a job of thousands stays small', async () => {
      const job = verifyJob();
      await store().insert(job);
      await store().recordOutcome(job.id, outcome('a.com', { message: 'x'.repeat(5_000) }));
      assert.equal((await store().find(job.id))?.outcomes[0]?.message, 'x'.repeat(300));
    });

    it('lists the running ones that were begun before a time', async () => {
      const old = verifyJob();
      const young = verifyJob({ createdAt: LATER });
      const done = verifyJob({ status: 'done', finishedAt: AT });
      for (const job of [old, young, done]) await store().insert(job);
      const ids = (await store().listRunning(LATER, { cursor: null, limit: 200 })).items.map(({ id }) => id);
      assert.ok(ids.includes(old.id));
      assert.ok(!ids.includes(young.id) && !ids.includes(done.id));
    });
  });
}
