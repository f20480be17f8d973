import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { ROW_DIMENSIONS } from '../../../domain/search-pulls/dimensions.ts';
import type { PartRef, RowPart } from '../../../domain/search-pulls/ports.ts';
import type { Series, StoredPeriod } from '../../../domain/search-pulls/stored-period.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { COLLECTIONS } from './indexes.ts';
import { type PartDocument, partId, readPart, toPartDocument } from './part-document.ts';

/** Parts that go to the database at once, or are asked for at once. */
const PARTS_AT_ONCE = 32;
/** Parts that are deleted at once, by their ids. */
const IDS_AT_ONCE = 500;

const headSchema = z.object({ _id: z.string(), of: z.string(), pulledAt: z.date() });

/** What is known of a part without its rows. */
export type PartHead = z.output<typeof headSchema>;

/**
 * Parts of rows in MongoDB, written, read and deleted by their ids: a pull writes hundreds of days, and none of these costs
 * more with the number of parts that there are.
 */
export function createParts({ db }: { readonly db: Db }) {
  const parts = db.collection<PartDocument>(COLLECTIONS.parts);
  return {
    /** @returns their ids */
    async insert(period: StoredPeriod, list: Iterable<RowPart> | AsyncIterable<RowPart>): Promise<readonly string[]> {
      const ids: string[] = [];
      let batch: PartDocument[] = [];
      const send = async (): Promise<void> => {
        const documents = batch;
        batch = [];
        if (documents.length > 0) await mongoCall(() => parts.insertMany(documents, { ordered: false }));
      };
      for await (const part of list) {
        const document = toPartDocument(period, part);
        ids.push(document._id);
        batch.push(document);
        if (batch.length >= PARTS_AT_ONCE) await send();
      }
      await send();
      return ids;
    },
    /** In the order of the list; those that are gone are left out. */
    async *read(series: Series, refs: readonly PartRef[]): AsyncGenerator<RowPart & Pick<PartRef, 'period'>> {
      for (let start = 0; start < refs.length; start += PARTS_AT_ONCE) {
        const ids = refs.slice(start, start + PARTS_AT_ONCE).map((ref) => partId(series, ref));
        const documents = await mongoCall(() => parts.find({ _id: { $in: ids } }).toArray());
        const byId = new Map(documents.map((document) => [document._id, document]));
        for (const id of ids) {
          const document = byId.get(id);
          if (document !== undefined) yield readPart(document);
        }
      }
    },
    async remove(ids: readonly string[]): Promise<void> {
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
        const some = ids.slice(start, start + IDS_AT_ONCE);
        await mongoCall(() => parts.deleteMany({ _id: { $in: some } }));
      }
    },
    /** Of periods from one id to another, a thousand in memory at a time. */
    async *heads(first: string, last: string): AsyncGenerator<PartHead> {
      const filter = partsBetween(first, last);
      const cursor = parts.find(filter, { projection: { of: 1, pulledAt: 1 }, batchSize: 1_000 });
      try {
        for (
          let head = await mongoCall(() => cursor.next());
          head !== null;
          head = await mongoCall(() => cursor.next())
        ) {
          yield readDocument('part of search rows', headSchema, head);
        }
      } finally {
        await cursor.close();
      }
    },
  };
}

/** Said twice: an index covers the heads by their period, and a database without it finds them by the order of ids. */
function partsBetween(first: string, last: string): Filter<PartDocument> {
  return { of: { $gte: first, $lte: last }, _id: { $gte: `${first}/`, $lte: `${last}/\uffff` } };
}

/** The ids of the parts that a period names. */
export function partIdsOf(period: StoredPeriod): readonly string[] {
  return ROW_DIMENSIONS.flatMap((dimension) =>
    Array.from({ length: period.dimensions[dimension].buckets }, (_, bucket) =>
      partId(period, { ...period, dimension, bucket }),
    ),
  );
}
