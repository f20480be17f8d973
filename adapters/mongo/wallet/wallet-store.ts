import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { WalletStore } from '../../../domain/wallet/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { insertIfNew } from '../insert-new.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import {
  type AccountDocument,
  accountDocument,
  type EntryDocument,
  entryDocument,
  readAccountDocument,
  readEntryDocument,
} from './documents.ts';
import { COLLECTIONS } from './indexes.ts';

const bySequence = z.tuple([z.int()]);

/** Accounts and entries in MongoDB. Each write changes one document; unique keys refuse a second account or entry. */
export function createWalletStore({ db }: { db: Db }): WalletStore {
  const accounts = db.collection<AccountDocument>(COLLECTIONS.accounts);
  const entries = db.collection<EntryDocument>(COLLECTIONS.entries);
  return {
    async readAccount(org) {
      const document = await readConfirmed(accounts, { _id: org } as Filter<AccountDocument>);
      return document === null ? null : readAccountDocument(document);
    },
    openAccount: (account) => insertIfNew(accounts, accountDocument(account)),
    async replaceAccount(account, lastId) {
      const { _id, ...fields } = accountDocument(account);
      const filter = { _id, 'last.id': lastId } as Filter<AccountDocument>;
      const { matchedCount } = await mongoCall(() => accounts.updateOne(filter, { $set: fields }));
      return matchedCount === 1;
    },
    async appendEntry(entry) {
      const { _id, ...fields } = entryDocument(entry);
      const taken = `${entry.org} has another entry ${entry.sequence}, or one of its key`;
      try {
        const options = { upsert: true, returnDocument: 'after' } as const;
        const there = await upsertOnceMore(() => entries.findOneAndUpdate({ _id }, { $setOnInsert: fields }, options));
        if (there?.id !== entry.id) throw new FairleadError('CONFLICT', taken);
      } catch (error) {
        throw isDuplicateKey(error) ? new FairleadError('CONFLICT', taken, { cause: error }) : error;
      }
    },
    async findEntry(org, idempotencyKey) {
      const document = await mongoCall(() => entries.findOne({ org, idempotencyKey }));
      return document === null ? null : readEntryDocument(document);
    },
    async listEntries(org, { cursor, limit }) {
      const before = decodeCursor(cursor, bySequence);
      const filter = before === null ? { org } : { org, sequence: { $lt: before[0] } };
      const documents = await mongoCall(() =>
        entries
          .find(filter)
          .sort({ sequence: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readEntryDocument), limit, ({ sequence }) => [sequence]);
    },
  };
}
