import type { Db } from 'mongodb';
import { z } from 'zod';
import type { PlacedOrder } from '../../../domain/custom-domains/certificates/order-budget.ts';
import type { AcmeAccount, AcmeAccounts, OrderLog } from '../../../domain/custom-domains/certificates/stores.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { pageById } from '../page-by-id.ts';
import { readAllConfirmed, readConfirmed } from '../read-confirmed.ts';
import { sealedReplacement, sealedSecretSchema } from '../sealed-secret-schema.ts';
import { CERTIFICATE_COLLECTIONS } from './certificate-indexes.ts';

interface OrderDocument extends PlacedOrder {
  readonly _id: string;
  readonly org?: string;
  readonly domains: readonly string[];
}

/** Orders of an earlier version have the one org that owned the service. */
const orderSchema = z
  .object({
    org: z.string().default(''),
    claimants: z.array(z.string()).optional(),
    orgs: z.array(z.string()).optional(),
    names: z.array(z.string()),
    at: z.date(),
    failed: z.array(z.string()),
  })
  .transform(({ org, claimants, orgs, names, ...order }): PlacedOrder => {
    return { ...order, names, claimants: claimants ?? names.map(() => org), orgs: orgs ?? [org] };
  });

/** Orders of the last week, which MongoDB removes afterwards. */
export function createOrderLog({ db }: { readonly db: Db }): OrderLog {
  const collection = db.collection<OrderDocument>(CERTIFICATE_COLLECTIONS.orders);
  return {
    async note({ id, ...order }) {
      await insertIfNew(collection, { _id: id, ...order });
    },
    async noteFailure(id, names) {
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: { failed: [...names] } }));
    },
    async since(time, { orgs, domains }) {
      const ofOrgs = { $in: [...orgs] };
      const either = [{ domains: { $in: [...domains] } }, { claimants: ofOrgs }, { org: ofOrgs }];
      const found = await readAllConfirmed(collection, { $or: either, at: { $gt: time } });
      return found.map((document) => orderSchema.parse(document));
    },
  };
}

interface AccountDocument extends Omit<AcmeAccount, 'directoryUrl'> {
  /** The URL of the directory. */
  readonly _id: string;
}

const accountSchema = z.object({ _id: z.string(), key: sealedSecretSchema, url: z.string().nullable() });

/** Accounts at authorities, one a directory. */
export function createAcmeAccounts({ db }: { readonly db: Db }): AcmeAccounts {
  const collection = db.collection<AccountDocument>(CERTIFICATE_COLLECTIONS.accounts);
  const find = async (directoryUrl: string): Promise<AcmeAccount | null> => {
    const document = await readConfirmed(collection, { _id: directoryUrl });
    return document === null ? null : readAccount(document);
  };
  return {
    find,
    async keep({ directoryUrl, key, url }) {
      await insertIfNew(collection, { _id: directoryUrl, key, url });
      const kept = await find(directoryUrl);
      if (kept !== null) return kept;
      throw new FairleadError('CONFLICT', 'The account was just removed', { retryable: true });
    },
    async noteUrl(directoryUrl, url) {
      await mongoCall(() => collection.updateOne({ _id: directoryUrl }, { $set: { url } }));
    },
    list: (page) => pageById(collection, { page, read: readAccount, longestId: 2_000 }),
    async reseal(directoryUrl, key) {
      const { condition, update } = sealedReplacement('key', key);
      await mongoCall(() => collection.updateOne({ _id: directoryUrl, ...condition }, update));
    },
  };
}

function readAccount(document: unknown): AcmeAccount {
  const { _id: directoryUrl, key, url } = accountSchema.parse(document);
  return { directoryUrl, key, url };
}
