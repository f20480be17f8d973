import type { Collection, Filter, WithId } from 'mongodb';
import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/page.ts';
import { mongoCall } from './connect.ts';
import { decodeCursor, toPage } from './cursor.ts';

export interface PagedById<D, T> {
  readonly page: PageRequest;
  /** Default: all. */
  readonly filter?: Filter<D>;
  /** Checks a document and makes an item of it. */
  readonly read: (document: WithId<D>) => T;
  /** Characters of an id in a cursor: 100 by default. */
  readonly longestId?: number;
}

/** A page of a list in the order of its ids. @throws VALIDATION_FAILED for a cursor of another list, UNAVAILABLE */
export async function pageById<D extends { readonly _id: string }, T>(
  collection: Collection<D>,
  { page: { cursor, limit }, filter = {}, read, longestId = 100 }: PagedById<D, T>,
): Promise<Page<T>> {
  const after = decodeCursor(cursor, z.tuple([z.string().max(longestId)]));
  const conditions = after === null ? filter : { $and: [filter, { _id: { $gt: after[0] } }] };
  const documents = await mongoCall(() =>
    collection
      .find(conditions as Filter<D>)
      .sort({ _id: 1 })
      .limit(limit + 1)
      .toArray(),
  );
  const page = toPage(documents, limit, ({ _id }) => [_id]);
  return { ...page, items: page.items.map(read) };
}
