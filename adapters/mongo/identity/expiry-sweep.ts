import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { mongoCall } from '../connect.ts';
import { EXPIRIES } from './indexes.ts';

const SWEEP_INTERVAL_MS = 60_000;

/**
 * Makes the function a store calls before it inserts: it deletes what has been expired for long enough, by the TTL
 * index, at most once a minute. A collection then stays as small as what was inserted lately, also on a server that
 * has no TTL deletion. @throws UNAVAILABLE
 */
export function createExpirySweep(deps: { db: Db; now: Clock }, name: keyof typeof EXPIRIES): () => Promise<void> {
  const { field, keptSeconds } = EXPIRIES[name];
  const collection = deps.db.collection(name);
  let nextAt = 0;
  return async () => {
    const now = deps.now().getTime();
    if (now < nextAt) return;
    nextAt = now + SWEEP_INTERVAL_MS;
    await mongoCall(() => collection.deleteMany({ [field]: { $lte: new Date(now - keptSeconds * 1000) } }));
  };
}
