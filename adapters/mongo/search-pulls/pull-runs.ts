import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { PulledProperties, PullRunStore } from '../../../domain/search-pulls/ports.ts';
import { PULL_STATUSES, PULL_TRIGGERS, type PullRun } from '../../../domain/search-pulls/pull-run.ts';
import { insertOnce, isDuplicateKey, mongoCall } from '../connect.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';

interface RunDocument extends Omit<PullRun, 'id'> {
  readonly _id: string;
}

const problem = z.object({ code: z.string(), message: z.string() });

const runSchema = z.object({
  _id: z.string(),
  status: z.enum(PULL_STATUSES),
  trigger: z.enum(PULL_TRIGGERS),
  requestedBy: z.string(),
  startedAt: z.date(),
  since: z.date(),
  finishedAt: z.date().nullable(),
  summary: z
    .object({
      ...{
        properties: z.int(),
        pulled: z.int(),
        failed: z.int(),
        days: z.int(),
        rows: z.int(),
        truncatedDays: z.int(),
      },
      failures: z.array(problem.extend({ domain: z.string() })),
    })
    .nullable(),
  error: problem.nullable(),
  abandoned: z.boolean(),
});

/** Records of pulls in MongoDB: one document each, changed on the condition that the pull runs. */
export function createPullRunStore({ db }: { readonly db: Db }): PullRunStore {
  const runs = db.collection<RunDocument>(COLLECTIONS.runs);
  return {
    insert: ({ id, ...fields }) => insertOnce(runs, id, fields),
    async find(id) {
      const document = await readConfirmed(runs, { _id: id });
      return document === null ? null : readRun(document);
    },
    async change(id, change) {
      const running = { _id: id, status: 'running' } as const;
      return (await mongoCall(() => runs.updateOne(running, { $set: change }))).matchedCount === 1;
    },
    async newestRunning() {
      const newest = { startedAt: -1, _id: -1 } as const;
      const [run] = await mongoCall(() => runs.find({ status: 'running' }).sort(newest).limit(1).toArray());
      return run === undefined ? null : readRun(run);
    },
    async abandonEarlier({ id, startedAt }, change) {
      const own = await mongoCall(() => runs.findOne({ _id: id, status: 'running' }));
      // One that begins after this look began later.
      const earlier = { status: 'running', startedAt: { $lt: startedAt }, _id: { $ne: id } } as const;
      if (own !== null) await mongoCall(() => runs.updateMany(earlier, { $set: change }));
    },
  };
}

function readRun(document: unknown): PullRun {
  const { _id, ...run } = readDocument('search pull', runSchema, document);
  return { id: _id, ...run };
}

const pulledSchema = z.object({ _id: z.string(), since: z.date() });

type PulledDocument = Readonly<z.output<typeof pulledSchema>>;

/** Up to when each property was pulled, in MongoDB. */
export function createPulledProperties({ db }: { readonly db: Db }): PulledProperties {
  const pulled = db.collection<PulledDocument>(COLLECTIONS.pulledProperties);
  return {
    async notPulledSince(properties, since) {
      const filter = { _id: { $in: [...properties] }, since: { $gte: since } } as Filter<PulledDocument>;
      const done = new Set((await mongoCall(() => pulled.find(filter).toArray())).map(({ _id }) => _id));
      return properties.filter((property) => !done.has(property));
    },
    lastPulled: async (property) => {
      const document = await readConfirmed(pulled, { _id: property });
      return document === null ? null : readDocument('last pull of a property', pulledSchema, document).since;
    },
    async notePulled(property, since) {
      try {
        const earlier = { _id: property, since: { $lt: since } };
        await mongoCall(() => pulled.updateOne(earlier, { $set: { since } }, { upsert: true }));
      } catch (error) {
        // A later pull is noted.
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
