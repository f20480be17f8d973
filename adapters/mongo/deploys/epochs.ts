import type { Db } from 'mongodb';
import type { EpochStore } from '../../../domain/deploys/build-store.ts';
import { EPOCH_STEP } from '../../../domain/deploys/epoch.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

interface EpochDocument {
  readonly _id: string;
  readonly epoch: number;
}

/** Epochs in MongoDB: one counter for each service and environment, which outlives the service. */
export function createEpochStore({ db }: { db: Db }): EpochStore {
  const collection = db.collection<EpochDocument>(COLLECTIONS.epochs);
  return {
    async next({ service, environment }) {
      const filter = { _id: targetKey(service, environment) };
      const document = await upsertOnceMore(() =>
        collection.findOneAndUpdate(filter, { $inc: { epoch: EPOCH_STEP } }, { upsert: true, returnDocument: 'after' }),
      );
      if (document !== null) return document.epoch;
      throw new FairleadError('UNAVAILABLE', `The epoch of ${filter._id} cannot be taken; try again`, {
        retryable: true,
      });
    },
  };
}
