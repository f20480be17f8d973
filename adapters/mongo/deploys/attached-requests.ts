import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { BuildStore } from '../../../domain/deploys/build-store.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew } from '../insert-new.ts';
import { ATTACHED_EXPIRY, COLLECTIONS } from './indexes.ts';

interface AttachedDocument {
  /** Id that the build of the request would have had. */
  readonly _id: string;
  readonly buildId: string;
  readonly at: Date;
}

/** Requests that were attached to a build in flight, in MongoDB: one document each. */
export function createAttachedRequests(deps: {
  readonly db: Db;
  readonly now: Clock;
}): Pick<BuildStore, 'noteAttached' | 'attachedTo'> {
  const collection = deps.db.collection<AttachedDocument>(COLLECTIONS.attached);
  const sweep = createExpirySweep(deps, COLLECTIONS.attached, ATTACHED_EXPIRY);
  return {
    async noteAttached(requested, buildId) {
      await sweep();
      await insertIfNew(collection, { _id: requested, buildId, at: deps.now() });
    },
    async attachedTo(requested) {
      return (await mongoCall(() => collection.findOne({ _id: requested })))?.buildId ?? null;
    },
  };
}
