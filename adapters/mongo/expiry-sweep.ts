import type { Db, IndexDescription } from 'mongodb';
import type { Clock } from '../../domain/clock.ts';
import { mongoCall } from './connect.ts';

const SWEEP_INTERVAL_MS = 60_000;

/** Which field says when a document has expired, and how many seconds after that it is forgotten. */
export interface Expiry {
  readonly field: string;
  readonly keptSeconds: number;
}

export const AT_EXPIRY: Expiry = { field: 'expiresAt', keptSeconds: 0 };

/**
 * The index by which the server deletes documents, some time after they expired. The embedded stand-in knows such indexes
 * and deletes nothing, so stores check expiry themselves, and delete what has expired when they insert.
 */
export function ttlIndex({ field, keptSeconds }: Expiry): IndexDescription {
  return { key: { [field]: 1 }, name: 'ttl', expireAfterSeconds: keptSeconds };
}

/**
 * Makes the function a store calls before it inserts: it deletes what has been expired for long enough, by the TTL
 * index, at most once a minute. A collection then stays as small as what was inserted lately, also on a server that
 * has no TTL deletion. @throws UNAVAILABLE
 */
export function createExpirySweep(
  deps: { db: Db; now: Clock },
  name: string,
  { field, keptSeconds }: Expiry,
): () => Promise<void> {
  const collection = deps.db.collection(name);
  let nextAt = 0;
  return async () => {
    const now = deps.now().getTime();
    if (now < nextAt) return;
    nextAt = now + SWEEP_INTERVAL_MS;
    await mongoCall(() => collection.deleteMany({ [field]: { $lte: new Date(now - keptSeconds * 1000) } }));
  };
}
