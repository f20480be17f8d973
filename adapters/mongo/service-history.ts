import type { Collection, Filter } from 'mongodb';
import type { Page, PageRequest } from '../../domain/page.ts';
import { mongoCall } from './connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from './cursor.ts';

/** A document of a history: one change of a service. */
interface ChangeDocument {
  readonly _id: string;
  readonly serviceId: string;
  readonly at: Date;
}

/** What histories of services have in common. @param read checks a document and makes an entry of it */
export function serviceHistory<D extends ChangeDocument, E extends { readonly id: string; readonly at: Date }>(
  collection: Collection<D>,
  read: (document: unknown) => E,
) {
  return {
    /** Newest first. @throws UNAVAILABLE */
    async list(serviceId: string, { cursor, limit }: PageRequest): Promise<Page<E>> {
      const before = decodeCursor(cursor, timeAndId);
      const filter = { serviceId, ...olderThan('at', before) } as Filter<D>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ at: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(read), limit, (entry) => [entry.at.getTime(), entry.id]);
    },
    /** Forgets a service. @throws UNAVAILABLE */
    async removeService(serviceId: string): Promise<void> {
      await mongoCall(() => collection.deleteMany({ serviceId } as Filter<D>));
    },
  };
}
