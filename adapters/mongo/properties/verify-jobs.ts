import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { VerifyJobStore } from '../../../domain/properties/ports.ts';
import { keptOutcome, VERIFY_OUTCOMES, type VerifyJob } from '../../../domain/properties/verify-job.ts';
import { mongoCall } from '../connect.ts';
import { pageById } from '../page-by-id.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

type JobDocument = Omit<VerifyJob, 'id'> & { readonly _id: string };

const text = z.string();
const jobSchema = z.object({
  _id: text,
  kind: z.literal('verify'),
  status: z.enum(['running', 'done']),
  domains: z.array(text),
  outcomes: z.array(
    z.object({ domain: text, outcome: z.enum(VERIFY_OUTCOMES), message: text.nullable(), at: z.date() }),
  ),
  requestedBy: text,
  createdAt: z.date(),
  finishedAt: z.date().nullable(),
});

/** Jobs of verifications in MongoDB: one document each. */
export function createVerifyJobStore({ db }: { readonly db: Db }): VerifyJobStore {
  const collection: Collection<JobDocument> = db.collection(COLLECTIONS.jobs);
  const find = async (id: string): Promise<VerifyJob | null> => {
    const document = await mongoCall(() => collection.findOne({ _id: id }));
    return document === null ? null : readJob(document);
  };
  return {
    find,
    async insert({ id, ...fields }) {
      await mongoCall(() => collection.insertOne({ _id: id, ...fields }));
    },
    async remove(id) {
      await mongoCall(() => collection.deleteOne({ _id: id }));
    },
    async recordOutcome(id, outcome) {
      const { domain, at } = outcome;
      const job = await mongoCall(() => collection.findOne({ _id: id }, { projection: { domains: 1 } }));
      if (job === null || !job.domains.includes(domain)) return;
      const fresh: Filter<JobDocument> = { _id: id, 'outcomes.domain': { $ne: domain } };
      await mongoCall(() => collection.updateOne(fresh, { $push: { outcomes: keptOutcome(outcome) } }));
      // By a repeat as well: an attempt before it may have ended in between.
      const full: Filter<JobDocument> = { _id: id, status: 'running', outcomes: { $size: job.domains.length } };
      await mongoCall(() => collection.updateOne(full, { $set: { status: 'done', finishedAt: at } }));
    },
    listRunning: (begunBefore, page) =>
      pageById(collection, {
        page,
        filter: { status: 'running', createdAt: { $lt: begunBefore } },
        read: readJob,
      }),
  };
}

function readJob(document: unknown): VerifyJob {
  const { _id, ...rest } = readDocument('job', jobSchema, document);
  return { id: _id, ...rest };
}
