import type { Db, Filter, UpdateFilter } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { UserChanges, UserStore } from '../../../domain/identity/ports.ts';
import { PLATFORM_ROLES } from '../../../domain/roles.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertNew } from '../insert-new.ts';
import { pickChanges } from '../pick-changes.ts';
import { COLLECTIONS } from './indexes.ts';
import { createPasskeyOwners } from './passkey-owners.ts';
import { readUser, type UserDocument, userDocument } from './user-document.ts';

const CHANGEABLE: Readonly<Record<keyof UserChanges, true>> = {
  firstName: true,
  lastName: true,
  avatar: true,
  emailVerified: true,
  platformRoles: true,
  primaryOrg: true,
  suspendedAt: true,
  recoveryCodes: true,
};

/** Greater than every character of an address, so that a range of the index holds exactly what begins with a prefix. */
const AFTER_ANY_CHARACTER = '\u{10FFFF}';

/**
 * People in MongoDB: one document each, with their second factors inside, so that every code is taken by one
 * conditional update. Who owns a passkey stands in a collection of its own (passkey-owners.ts).
 */
export function createUserStore(deps: { db: Db; now: Clock }): UserStore {
  const collection = deps.db.collection<UserDocument>(COLLECTIONS.users);
  const owners = createPasskeyOwners(deps);

  async function findOne(filter: Filter<UserDocument>) {
    const document = await mongoCall(() => collection.findOne(filter));
    return document === null ? null : readUser(document);
  }

  /** True when a user matched: of many that ask for the same once, the first leaves nothing to match. */
  async function matches(filter: Filter<UserDocument>, set: Record<string, unknown>): Promise<boolean> {
    return updates(filter, { $set: { ...set, updatedAt: deps.now() } });
  }

  async function updates(filter: Filter<UserDocument>, update: UpdateFilter<UserDocument>): Promise<boolean> {
    const { matchedCount } = await mongoCall(() => collection.updateOne(filter, update));
    return matchedCount === 1;
  }

  function replacePassword(
    filter: Filter<UserDocument>,
    passwordHash: string | null,
    more: Partial<UserDocument> = {},
  ): Promise<boolean> {
    const set = { passwordHash, onboardingPending: null, ...more, updatedAt: deps.now() };
    return updates(filter, { $set: set, $inc: { passwordVersion: 1 } });
  }

  /** A person who was stored before there was a version has none. */
  function ofVersion(id: string, passwordVersion: number): Filter<UserDocument> {
    const known = passwordVersion === 0 ? { $in: [0, null] } : passwordVersion;
    return { _id: id, passwordVersion: known } as Filter<UserDocument>;
  }

  return {
    async insert(user) {
      await insertNew(collection, userDocument(user), () => {
        return new FairleadError('USER_EXISTS', 'An account with this email address exists already');
      });
    },
    find: (id) => findOne({ _id: id }),
    async findMany(ids) {
      const documents = await mongoCall(() => collection.find({ _id: { $in: [...ids] } }).toArray());
      return documents.map(readUser);
    },
    findByEmail: (email) => findOne({ email }),
    async list({ query, platformRoles }, { cursor, limit }) {
      const after = decodeCursor(cursor, z.tuple([z.string().max(400)]));
      const holders = (platformRoles ? { platformRoles: { $in: PLATFORM_ROLES } } : {}) as Filter<UserDocument>;
      const prefix = query === null ? {} : { email: { $gte: query, $lt: `${query}${AFTER_ANY_CHARACTER}` } };
      const documents = await mongoCall(() =>
        collection
          .find({ $and: [holders, prefix, after === null ? {} : { email: { $gt: after[0] } }] })
          .sort({ email: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readUser), limit, (user) => [user.email]);
    },
    countWithPlatformRole(role) {
      const filter = { platformRoles: role, suspendedAt: null } as Filter<UserDocument>;
      return mongoCall(() => collection.countDocuments(filter));
    },
    async update(id, changes, before) {
      const update = { $set: { ...pickChanges(changes, CHANGEABLE), updatedAt: deps.now() } };
      // What it answers may already hold a later writer's change: it is the user as they are afterwards all the same.
      const options = { returnDocument: 'after' } as const;
      const read = before === undefined ? {} : { platformRoles: before.platformRoles };
      const filter = { _id: id, ...read } as Filter<UserDocument>;
      const document = await mongoCall(() => collection.findOneAndUpdate(filter, update, options));
      return document === null ? null : readUser(document);
    },
    async setPassword(id, passwordVersion, passwordHash, { withoutFactors = false, keepSession = null } = {}) {
      const filter = ofVersion(id, passwordVersion);
      const ending = { endingLogins: { keepSession } };
      if (!withoutFactors) return replacePassword(filter, passwordHash, ending);
      const before = await findOne({ _id: id });
      const without = { ...ending, totp: null, passkeys: [], recoveryCodes: [] };
      const set = await replacePassword(filter, passwordHash, without);
      if (set) for (const { credentialId } of before?.passkeys ?? []) await owners.release(credentialId, id);
      return set;
    },
    async loginsEnded(id, passwordVersion) {
      await matches(ofVersion(id, passwordVersion), { endingLogins: null });
    },
    async upgradePasswordHash(id, oldHash, newHash) {
      await matches({ _id: id, passwordHash: oldHash }, { passwordHash: newHash });
    },
    consumeOnboarding(id, orgSlug, passwordHash) {
      return replacePassword({ _id: id, 'onboardingPending.orgSlug': orgSlug }, passwordHash);
    },
    async clearOnboarding(id) {
      await matches({ _id: id, onboardingPending: { $ne: null } }, { onboardingPending: null });
    },
    setTotp(id, totp) {
      return matches({ _id: id, ...(totp === null ? {} : { 'totp.confirmedAt': null }) }, { totp });
    },
    confirmTotp(id, { keyId, sealed }, step, at, since) {
      const unconfirmed = { 'totp.secret.keyId': keyId, 'totp.secret.sealed': sealed, 'totp.confirmedAt': null };
      return matches(
        { _id: id, ...unconfirmed },
        { 'totp.confirmedAt': at, 'totp.lastStep': step, 'totp.since': since },
      );
    },
    takeTotpStep(id, step) {
      const unused = { 'totp.confirmedAt': { $ne: null }, 'totp.lastStep': { $not: { $gte: step } } };
      return matches({ _id: id, ...unused }, { 'totp.lastStep': step });
    },
    takeRecoveryCode(id, codeHash) {
      const update = { $pull: { recoveryCodes: codeHash }, $set: { updatedAt: deps.now() } };
      return updates({ _id: id, recoveryCodes: codeHash }, update);
    },
    async addPasskey(id, passkey, passwordVersion) {
      const { credentialId } = passkey;
      if (!(await owners.claim(credentialId, id))) return false;
      const update = { $push: { passkeys: passkey }, $set: { updatedAt: deps.now() } };
      const fresh = { 'passkeys.credentialId': { $ne: credentialId } };
      const added = await updates({ $and: [ofVersion(id, passwordVersion), fresh] }, update);
      // Not added: it is there already, or there is no such person, or not as they were.
      const user = added ? null : await findOne({ _id: id });
      const has = user?.passkeys.some((one) => one.credentialId === credentialId) === true;
      if (!added && !has) await owners.release(credentialId, id);
      return added;
    },
    findByPasskey: (credentialId) => findOne({ 'passkeys.credentialId': credentialId }),
    async usePasskey(id, credentialId, counter, at) {
      // An authenticator without a counter always says zero (WebAuthn, 7.2, step 22).
      const grown = counter === 0 ? 0 : { $lt: counter };
      const filter = { _id: id, passkeys: { $elemMatch: { credentialId, counter: grown } } };
      const set = { 'passkeys.$[used].counter': counter, 'passkeys.$[used].lastUsedAt': at };
      const arrayFilters = [{ 'used.credentialId': credentialId }];
      const { matchedCount } = await mongoCall(() => collection.updateOne(filter, { $set: set }, { arrayFilters }));
      return matchedCount === 1;
    },
    async removePasskey(id, credentialId) {
      const update = { $pull: { passkeys: { credentialId } }, $set: { updatedAt: deps.now() } };
      const removed = await updates({ _id: id, 'passkeys.credentialId': credentialId }, update);
      if (removed) await owners.release(credentialId, id);
      return removed;
    },
  };
}
