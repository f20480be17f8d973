import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { AuthorizationCodeStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertNew } from '../insert-new.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type CodeDocument, readCode } from './login-documents.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** As long as the grant it was redeemed for could live: the longest life of a refresh token is 90 days. */
const REDEEMED_KNOWN_MS = 90 * DAY_MS;

/**
 * Authorization codes in MongoDB. A code that was redeemed is found for as long as its grant may live, so that
 * a second redemption is recognised and revokes that grant (RFC 6749, 4.1.2); one that expired unused is not found.
 */
export function createAuthorizationCodeStore(deps: { db: Db; now: Clock }): AuthorizationCodeStore {
  const collection = deps.db.collection<CodeDocument>(COLLECTIONS.codes);
  const sweep = createExpirySweep(deps, COLLECTIONS.codes, EXPIRIES.codes);
  return {
    async insert({ codeHash, ...fields }) {
      await sweep();
      const document = { _id: codeHash, ...fields, forgetAt: new Date(fields.expiresAt.getTime() + DAY_MS) };
      await insertNew(collection, document, () => new FairleadError('CONFLICT', 'The authorization code is not new'));
    },
    async find(codeHash) {
      const known = { $or: [{ expiresAt: { $gt: deps.now() } }, { redeemedFor: { $ne: null } }] };
      const document = await mongoCall(() => collection.findOne({ _id: codeHash, ...known }));
      return document === null ? null : readCode(document);
    },
    async redeem(codeHash, grantId, at) {
      const unused = { _id: codeHash, redeemedFor: null, expiresAt: { $gt: at } };
      const set = { redeemedFor: grantId, forgetAt: new Date(at.getTime() + REDEEMED_KNOWN_MS) };
      const { matchedCount } = await mongoCall(() => collection.updateOne(unused, { $set: set }));
      return matchedCount === 1;
    },
  };
}
