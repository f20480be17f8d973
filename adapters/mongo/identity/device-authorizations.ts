import type { Db, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeviceAuthorization } from '../../../domain/identity/login.ts';
import type { DeviceAuthorizationStore } from '../../../domain/identity/ports.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { insertNew } from '../insert-new.ts';
import { COLLECTIONS, EXPIRIES } from './indexes.ts';
import { type DeviceDocument, readDevice } from './login-documents.ts';

const SLOW_DOWN_SECONDS = 5;

/**
 * Device flows in MongoDB. A person finds theirs by user code until it expires; a device finds it by device code for
 * a day longer, so that it can be told that the code has expired (RFC 8628, 3.5). Taking it always checks expiry.
 */
export function createDeviceAuthorizationStore(deps: { db: Db; now: Clock }): DeviceAuthorizationStore {
  const collection = deps.db.collection<DeviceDocument>(COLLECTIONS.devices);
  const sweep = createExpirySweep(deps, COLLECTIONS.devices, EXPIRIES.devices);

  async function findByDeviceCodeHash(deviceCodeHash: string): Promise<DeviceAuthorization | null> {
    const document = await mongoCall(() => collection.findOne({ _id: deviceCodeHash }));
    return document === null ? null : readDevice(document);
  }

  async function updated(
    filter: Filter<DeviceDocument>,
    update: UpdateFilter<DeviceDocument>,
  ): Promise<DeviceAuthorization | null> {
    const options = { returnDocument: 'before' } as const;
    const before = await mongoCall(() => collection.findOneAndUpdate(filter, update, options));
    return before === null ? null : readDevice(before);
  }

  /** Of two polls that both look to be in time one finds `lastPolledAt` as it was seen; for the other this is null. */
  function pollInTime({ deviceCodeHash, lastPolledAt }: DeviceAuthorization, at: Date) {
    return updated({ _id: deviceCodeHash, lastPolledAt }, { $set: { lastPolledAt: at } });
  }

  function pollTooEarly({ deviceCodeHash }: DeviceAuthorization, at: Date) {
    const update = { $max: { lastPolledAt: at }, $inc: { intervalSeconds: SLOW_DOWN_SECONDS } };
    return updated({ _id: deviceCodeHash }, update);
  }

  return {
    async insert({ deviceCodeHash, ...fields }) {
      await sweep();
      // An expired one may still be there, for its device: its user code is free again.
      const expired = { userCode: fields.userCode, expiresAt: { $lte: deps.now() } };
      await mongoCall(() => collection.deleteOne(expired));
      await insertNew(collection, { _id: deviceCodeHash, ...fields }, () => {
        return new FairleadError('CONFLICT', 'The user code is in use; generate another', { retryable: true });
      });
    },
    async findByUserCode(userCode, now) {
      const document = await mongoCall(() => collection.findOne({ userCode, expiresAt: { $gt: now } }));
      return document === null ? null : readDevice(document);
    },
    findByDeviceCodeHash,
    async decide(userCode, approval, at) {
      const pending = { userCode, status: 'pending' as const, expiresAt: { $gt: at } };
      const status = approval === null ? ('denied' as const) : ('approved' as const);
      const { matchedCount } = await mongoCall(() => collection.updateOne(pending, { $set: { status, approval } }));
      return matchedCount === 1;
    },
    async poll(deviceCodeHash, at) {
      const seen = await findByDeviceCodeHash(deviceCodeHash);
      if (seen === null || seen.expiresAt <= at) return seen;
      const before = isTooEarly(seen, at) ? null : await pollInTime(seen, at);
      return before ?? pollTooEarly(seen, at);
    },
    async redeem(deviceCodeHash, grantId, at) {
      const approved = { _id: deviceCodeHash, status: 'approved' as const, expiresAt: { $gt: at } };
      const set = { status: 'redeemed' as const, redeemedFor: grantId };
      const { matchedCount } = await mongoCall(() => collection.updateOne(approved, { $set: set }));
      return matchedCount === 1;
    },
  };
}

function isTooEarly({ lastPolledAt, intervalSeconds }: DeviceAuthorization, at: Date): boolean {
  return lastPolledAt !== null && at.getTime() < lastPolledAt.getTime() + intervalSeconds * 1000;
}
