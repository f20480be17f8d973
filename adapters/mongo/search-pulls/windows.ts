import { randomUUID } from 'node:crypto';
import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { SEARCH_TYPES } from '../../../domain/search-pulls/dimensions.ts';
import type { SearchWindowStore } from '../../../domain/search-pulls/ports.ts';
import { toColumns, toRows } from '../../../domain/search-pulls/search-rows.ts';
import type { SearchWindow } from '../../../domain/search-pulls/search-window.ts';
import { byDimension, type Series } from '../../../domain/search-pulls/stored-period.ts';
import { WINDOW_DAYS } from '../../../domain/search-pulls/windows.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

/** What nearly every reader asks for at most: the rest is in a document of its own, which those do not pay for. */
const HEAD_ROWS = 100;

const numbers = z.array(z.number());
const columnsSchema = z.object({
  keys: z.array(z.string()),
  clicks: numbers,
  impressions: numbers,
  positions: numbers,
});
const numbersShape = { clicks: z.number(), impressions: z.number(), position: z.number() };
const rangeSchema = z.object({ from: z.string(), to: z.string() });
const topSchema = z
  .object({ columns: columnsSchema, truncatedDays: z.int() })
  .transform(({ columns, truncatedDays }) => ({ rows: toRows(columns), truncatedDays }));

const windowSchema = z.object({
  property: z.string(),
  type: z.enum(SEARCH_TYPES),
  days: z.literal(WINDOW_DAYS),
  range: rangeSchema,
  totals: z.object(numbersShape),
  prior: z.object({ range: rangeSchema, totals: z.object(numbersShape), days: z.int() }),
  series: z.array(z.object({ day: z.string(), isFinal: z.boolean(), ...numbersShape })),
  top: z.object(byDimension(() => topSchema)),
  finalThrough: z.string().nullable(),
  rolledUpAt: z.date(),
  generation: z.string(),
  /** Whether some dimension has more rows than are here. */
  hasTail: z.boolean(),
});

const tailSchema = z.object({ generation: z.string(), top: z.object(byDimension(() => columnsSchema)) });

interface Stored {
  readonly _id: string;
  readonly rolledUpAt: Date;
  /** One of a roll-up: tells which head and which tail belong together. */
  readonly generation: string;
  readonly [field: string]: unknown;
}

/** Windows in MongoDB: one document each, and another one for the rows beyond those that are asked for as a rule. */
export function createSearchWindowStore({ db }: { readonly db: Db }): SearchWindowStore {
  const heads = db.collection<Stored>(COLLECTIONS.windows);
  const tails = db.collection<Stored>(COLLECTIONS.windowTails);
  return {
    async write({ top, ...window }) {
      const _id = idOf(window, window.days);
      const stamp = { rolledUpAt: window.rolledUpAt, generation: randomUUID() };
      const head = byDimension((dimension) => {
        const { rows, truncatedDays } = top[dimension];
        return { columns: toColumns(rows.slice(0, HEAD_ROWS)), truncatedDays };
      });
      const rest = byDimension((dimension) => toColumns(top[dimension].rows.slice(HEAD_ROWS)));
      const hasTail = Object.values(rest).some(({ keys }) => keys.length > 0);
      // The rest first: who finds the head finds the rest that belongs to it, or a newer one.
      if (hasTail) await replaceEarlier(tails, { _id, ...stamp, top: rest });
      await replaceEarlier(heads, { _id, ...window, ...stamp, top: head, hasTail });
    },
    async find(series, days, rows) {
      const _id = idOf(series, days);
      const document = await mongoCall(() => heads.findOne({ _id }));
      if (document === null) return null;
      const { hasTail, generation, ...window } = readDocument('window of search numbers', windowSchema, document);
      if (!hasTail || rows <= HEAD_ROWS) return window;
      const found = await mongoCall(() => tails.findOne({ _id }));
      if (found === null) return window;
      const tail = readDocument('window of search numbers', tailSchema, found);
      // Of another roll-up, which goes on: the rows that are there are right, only fewer.
      return tail.generation === generation ? withTail(window, tail) : window;
    },
  };
}

/** Replaces what was rolled up earlier; of two of the same moment, one order of both decides for the head and the tail. */
async function replaceEarlier(collection: Collection<Stored>, { _id, ...fields }: Stored): Promise<void> {
  const { rolledUpAt, generation } = fields;
  const order = [{ rolledUpAt: { $lt: rolledUpAt } }, { rolledUpAt, generation: { $lt: generation } }];
  const earlier = { _id, $or: order } as Filter<Stored>;
  try {
    await upsertOnceMore(() => collection.replaceOne(earlier, fields, { upsert: true }));
  } catch (error) {
    // A later one is there.
    if (!isDuplicateKey(error)) throw error;
  }
}

function withTail(window: SearchWindow, tail: z.output<typeof tailSchema>): SearchWindow {
  const top = byDimension((dimension) => {
    const { rows, truncatedDays } = window.top[dimension];
    return { rows: [...rows, ...toRows(tail.top[dimension])], truncatedDays };
  });
  return { ...window, top };
}

function idOf({ property, type }: Series, days: number): string {
  return `${property}/${type}/${days}`;
}
