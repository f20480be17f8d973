import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { BuildStore } from '../../../domain/deploys/build-store.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { COLLECTIONS, KEY_EXPIRY } from './indexes.ts';

interface KeyDocument {
  readonly _id: string;
  readonly fingerprint: string;
  readonly at: Date;
}

/** What was asked for under each key, in MongoDB: one document each. */
export function createIdempotencyKeys(deps: { readonly db: Db; readonly now: Clock }): Pick<BuildStore, 'claimKey'> {
  const collection = deps.db.collection<KeyDocument>(COLLECTIONS.keys);
  const sweep = createExpirySweep(deps, COLLECTIONS.keys, KEY_EXPIRY);
  return {
    async claimKey(key, fingerprint) {
      await sweep();
      if (await insertIfNew(collection, { _id: key, fingerprint, at: deps.now() })) return fingerprint;
      return (await readConfirmed(collection, { _id: key }))?.fingerprint ?? fingerprint;
    },
  };
}
