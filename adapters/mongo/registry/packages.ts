import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { PackageChangelog } from '../../../domain/registry/deploy-record.ts';
import type { PackageChangelogStore } from '../../../domain/registry/ports.ts';
import { insertOnce, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { COLLECTIONS } from './indexes.ts';

interface PackageDocument extends PackageChangelog {
  /** `{package}@{version}` */
  readonly _id: string;
}

const packageSchema = z.object({
  package: z.string(),
  version: z.string(),
  notes: z.string(),
  publishedBy: z.string(),
  publishedAt: z.date(),
});

const packageAndVersion = z.tuple([z.string().max(300), z.string().max(300)]);

/** Changelogs of packages in MongoDB: one document a version. */
export function createPackageChangelogStore({ db }: { readonly db: Db }): PackageChangelogStore {
  const collection = db.collection<PackageDocument>(COLLECTIONS.packages);
  const find = async (id: string): Promise<PackageChangelog | null> => {
    const document = await mongoCall(() => collection.findOne({ _id: id }));
    return document === null ? null : packageSchema.parse(document);
  };
  return {
    async publish(changelog) {
      const id = `${changelog.package}@${changelog.version}`;
      await insertOnce(collection, id, { ...changelog });
      if ((await find(id))?.notes === changelog.notes) return;
      throw new FairleadError('CONFLICT', `Other notes were published for ${id}; publish a new version instead`);
    },
    find: (name, version) => find(`${name}@${version}`),
    async list(name, { cursor, limit }) {
      const after = decodeCursor(cursor, packageAndVersion);
      const filter = {
        ...(name === null ? {} : { package: name }),
        ...(after === null
          ? {}
          : { $or: [{ package: { $gt: after[0] } }, { package: after[0], version: { $gt: after[1] } }] }),
      } as Filter<PackageDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ package: 1, version: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(
        documents.map((document) => packageSchema.parse(document)),
        limit,
        (changelog) => [changelog.package, changelog.version],
      );
    },
  };
}
