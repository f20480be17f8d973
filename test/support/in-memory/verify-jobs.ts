import { z } from 'zod';
import type { VerifyJobStore } from '../../../domain/properties/ports.ts';
import { type VerifyJob, withOutcome } from '../../../domain/properties/verify-job.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_ID = {
  cursor: z.tuple([z.string().max(100)]),
  keyOf: ({ id }: VerifyJob) => [id] as [string],
  compare: byText,
};

/** Jobs of verifications in this process. */
export function createInMemoryVerifyJobStore(): VerifyJobStore {
  const jobs = new Map<string, VerifyJob>();
  return {
    find: async (id) => jobs.get(id) ?? null,
    async insert(job) {
      jobs.set(job.id, keepRecord(job));
    },
    async remove(id) {
      jobs.delete(id);
    },
    async recordOutcome(id, outcome) {
      const job = jobs.get(id);
      const next = job === undefined ? null : withOutcome(job, outcome);
      if (next !== null) jobs.set(id, keepRecord(next));
    },
    async listRunning(begunBefore, page) {
      const running = [...jobs.values()].filter((job) => job.status === 'running' && job.createdAt < begunBefore);
      return pageOf(running, page, BY_ID);
    },
  };
}
