import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { RevocationStore } from '../../../domain/identity/ports.ts';
import { type RevocationKind, revocationKeysOf, voids } from '../../../domain/identity/revocation.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type RevocationDocument, readRevocation } from './provider-documents.ts';

/** A third of what readers ask for again (`FEED_OVERLAP_MS`): an entry that shows later than that would be missed. */
const WRITE_LIMIT_MS = 20_000;

/**
 * The denylist in MongoDB: one document for each kind and value, whose times only ever move forward. `revokedAt` moves
 * as well, so that who reads what is new also sees an entry that voids more than before.
 */
export function createRevocationStore(deps: { db: Db; now: Clock }): RevocationStore {
  const collection = deps.db.collection<RevocationDocument>(COLLECTIONS.revocations, {
    readPreference: 'primary',
  });
  const sweep = createExpirySweep(deps, COLLECTIONS.revocations, EXPIRIES.revocations);
  return {
    async add({ kind, value, issuedUntil, revokedAt, expiresAt }) {
      await sweep();
      const update = { $max: { issuedUntil, revokedAt, expiresAt }, $setOnInsert: { kind, value } };
      const options = { upsert: true, timeoutMS: WRITE_LIMIT_MS };
      await upsertOnceMore(() => collection.updateOne({ _id: keyOf(kind, value) }, update, options));
    },
    async since(moment) {
      const filter = { revokedAt: { $gte: moment }, expiresAt: { $gt: deps.now() } };
      const documents = await mongoCall(() => collection.find(filter).sort({ revokedAt: 1 }).toArray());
      return documents.map(readRevocation);
    },
    async isRevoked(claims) {
      const keys = revocationKeysOf(claims).map(({ kind, value }) => keyOf(kind, value));
      const documents = await mongoCall(() => collection.find({ _id: { $in: keys } }).toArray());
      return documents.some((document) => voids(readRevocation(document), claims));
    },
  };
}

/** No kind holds a colon, so no two entries share a key. */
function keyOf(kind: RevocationKind, value: string): string {
  return `${kind}:${value}`;
}
