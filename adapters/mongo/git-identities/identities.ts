import type { Db } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { GitIdentity } from '../../../domain/git-identities/git-identity.ts';
import type { GitIdentityStore } from '../../../domain/git-identities/ports.ts';
import { GIT_PROVIDERS } from '../../../domain/git-provider.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { COLLECTIONS } from './indexes.ts';

interface IdentityDocument extends Omit<GitIdentity, 'id'> {
  readonly _id: string;
  /** Hosts tell no logins apart by case. */
  readonly loginKey: string;
}

const identitySchema = z.object({
  _id: z.string(),
  userId: z.string(),
  provider: z.enum(GIT_PROVIDERS),
  hostAddress: z.string(),
  hostKey: z.string(),
  accountId: z.string(),
  login: z.string(),
  linkedAt: z.date(),
});

/** Others change the same account at the same time so often by no accident. */
const TRIES = 5;

/** Git identities in MongoDB: one document for each, held by three unique indexes. */
export function createGitIdentityStore({ db }: { db: Db }): GitIdentityStore {
  const collection = db.collection<IdentityDocument>(COLLECTIONS.identities);

  /** False when a unique index refuses it. */
  const put = async ({ id, ...fields }: GitIdentity): Promise<boolean> => {
    const { userId, hostKey, ...rest } = fields;
    const set = { ...rest, loginKey: rest.login.toLowerCase() };
    try {
      await mongoCall(() =>
        collection.updateOne({ userId, hostKey }, { $set: set, $setOnInsert: { _id: id } }, { upsert: true }),
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    async link(identity) {
      const { userId, hostKey, accountId, login } = identity;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const known = await mongoCall(() => collection.findOne({ hostKey, accountId }));
        if (known !== null && known.userId !== userId) return false;
        // Its host has given the login to this account since.
        const stale = {
          hostKey,
          loginKey: login.toLowerCase(),
          accountId: { $ne: accountId },
          userId: { $ne: userId },
        };
        await mongoCall(() => collection.deleteOne(stale));
        if (await put(identity)) return true;
      }
      throw new FairleadError('UNAVAILABLE', 'This account is linked by others at this moment', { retryable: true });
    },
    async findPerson({ hostKey, login, accountId }) {
      const document = await readConfirmed(collection, { hostKey, loginKey: login.toLowerCase() });
      const found = document === null ? null : readIdentity(document);
      return accountId !== null && found?.accountId !== accountId ? null : found;
    },
    async listOf(userId) {
      return (await mongoCall(() => collection.find({ userId }).sort({ hostKey: 1 }).toArray())).map(readIdentity);
    },
    async listAt(hostKey, userIds) {
      const filter = { hostKey, userId: { $in: [...userIds] } };
      return (await mongoCall(() => collection.find(filter).toArray())).map(readIdentity);
    },
    async unlink(userId, id) {
      const document = await mongoCall(() => collection.findOneAndDelete({ _id: id, userId }));
      return document === null ? null : readIdentity(document);
    },
  };
}

function readIdentity(document: unknown): GitIdentity {
  const { _id, ...identity } = identitySchema.parse(document);
  return { id: _id, ...identity };
}
