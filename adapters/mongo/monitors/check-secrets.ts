import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import type { OrgSecrets } from '../../../domain/monitors/check-secret.ts';
import type { CheckSecretStore } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { insertIfNew } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';
import { COLLECTIONS } from './indexes.ts';

const secretsSchema = z.object({
  /** The org. */
  _id: z.string(),
  secrets: z.array(
    z.object({
      ...{ name: z.string(), hosts: z.array(z.string()), sealed: sealedSecretSchema },
      ...{ setAt: z.date(), setBy: z.string() },
    }),
  ),
  revision: z.int(),
});

type SecretsDocument = Omit<OrgSecrets, 'org'> & { readonly _id: string };

/** Secrets of checks in MongoDB: one document an org that ever had one. */
export function createCheckSecretStore({ db }: { readonly db: Db }): CheckSecretStore {
  const collection: Collection<SecretsDocument> = db.collection<SecretsDocument>(COLLECTIONS.secrets);
  return {
    async find(org) {
      const document = await mongoCall(() => collection.findOne({ _id: org }));
      if (document === null) return { org, secrets: [], revision: 0 };
      const { _id, ...rest } = readDocument('secrets of checks', secretsSchema, document);
      return { org: _id, ...rest };
    },
    async revisions(orgs) {
      if (orgs.length === 0) return new Map();
      const asked = { _id: { $in: [...orgs] } };
      const documents = await mongoCall(() => collection.find(asked, { projection: { revision: 1 } }).toArray());
      return new Map(documents.map(({ _id, revision }) => [_id, revision] as const));
    },
    async write({ org, ...rest }) {
      if (rest.revision === 1) return insertIfNew(collection, { _id: org, ...rest });
      const before = { _id: org, revision: rest.revision - 1 };
      return (await mongoCall(() => collection.replaceOne(before, rest))).matchedCount === 1;
    },
  };
}
