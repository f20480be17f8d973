import type { Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import type { WorkloadStates } from '../../../domain/deploys/workload-runtime.ts';
import { STATE_KEPT_SECONDS, WORKLOAD_STATUSES, type WorkloadState } from '../../../domain/deploys/workload-state.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS, STATE_EXPIRY } from './indexes.ts';

interface StateDocument extends Omit<WorkloadState, 'buildId'> {
  readonly _id: string;
}

const number = z.number();

const stateSchema = z.object({
  _id: z.string(),
  status: z.enum(WORKLOAD_STATUSES),
  since: z.date().nullable(),
  restarts: number,
  outOfMemory: z.boolean(),
  usage: z
    .object({
      memoryBytes: number,
      memoryLimitBytes: number.nullable(),
      cpuUsedMs: number,
      cpuLimitMillis: number.nullable(),
    })
    .nullable(),
  cpuMillis: number.nullable(),
  health: z.object({ ok: z.boolean(), status: number.nullable(), path: z.string() }).nullable(),
  measuredAt: z.date(),
});

/** What was last noted of workloads in MongoDB: one document each, by the build that started it. */
export function createWorkloadStates({ db, now }: { db: Db; now: Clock }): WorkloadStates {
  const collection = db.collection<StateDocument>(COLLECTIONS.workloadStates);
  const sweep = createExpirySweep({ db, now }, COLLECTIONS.workloadStates, STATE_EXPIRY);
  return {
    async put({ buildId, ...state }) {
      await sweep();
      await upsertOnceMore(() => collection.replaceOne({ _id: buildId }, state, { upsert: true }));
    },
    async find(buildId) {
      const oldest = new Date(now().getTime() - STATE_KEPT_SECONDS * 1_000);
      const document = await mongoCall(() => collection.findOne({ _id: buildId, measuredAt: { $gt: oldest } }));
      if (document === null) return null;
      const { _id, ...state } = readDocument('state of a workload', stateSchema, document);
      return { buildId: _id, ...state };
    },
  };
}
