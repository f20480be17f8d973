import type { Db, Filter } from 'mongodb';
import type { SearchRowStore } from '../../../domain/search-pulls/ports.ts';
import { monthOf, rangeOfMonth, type StoredPeriod } from '../../../domain/search-pulls/stored-period.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { readAllCommitted } from '../read-confirmed.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';
import { createParts, type PartHead, partIdsOf } from './parts.ts';
import { type PeriodDocument, periodId, readPeriod, toPeriodDocument } from './period-document.ts';

/** After every day. */
const AFTER_DAYS = '9999-12-31';

/**
 * Rows of days and months in MongoDB. The parts are inserted under a generation of their own; then the record of the period
 * takes that generation in one write, on the condition that nothing read later is stored. The parts of what was replaced are
 * deleted. What a write left that was broken off in between belongs to no record: it is deleted once the record tells that
 * nothing can come of it any more.
 */
export function createSearchRowStore({ db }: { readonly db: Db }): SearchRowStore {
  const periods = db.collection<PeriodDocument>(COLLECTIONS.periods);
  const parts = createParts({ db });

  /** @returns what it replaced, or null for nothing; false when what is stored was read at the same time or later */
  async function replace(period: StoredPeriod): Promise<StoredPeriod | null | false> {
    const { _id, ...fields } = toPeriodDocument(period);
    const earlier = { _id, pulledAt: { $lt: period.pulledAt } } as Filter<PeriodDocument>;
    const options = { upsert: true, returnDocument: 'before' } as const;
    try {
      const before = await upsertOnceMore(() => periods.findOneAndUpdate(earlier, { $set: fields }, options));
      return before === null ? null : readPeriod(before);
    } catch (error) {
      // The driver sent the write again, as its answer was lost: then the period is ours.
      if (!isDuplicateKey(error)) throw error;
      return (await mongoCall(() => periods.findOne({ _id })))?.generation === period.generation ? null : false;
    }
  }

  async function between(first: string, last: string): Promise<readonly StoredPeriod[]> {
    const found = periods.find(idsBetween(first, last)).sort({ _id: 1 });
    return (await mongoCall(() => found.toArray())).map(readPeriod);
  }

  return {
    async write(period, list) {
      const written = await parts.insert(period, list);
      const before = await replace(period);
      if (before === false) await parts.remove(written);
      else if (before !== null) await parts.remove(partIdsOf(before));
      return before !== false;
    },
    async writeEmpty(days) {
      const updates = days.map((day) => {
        const { _id, ...fields } = toPeriodDocument(day);
        return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
      });
      if (updates.length > 0) await mongoCall(() => periods.bulkWrite(updates, { ordered: false }));
    },
    days: (series, { from, to }) => between(periodId(series, from), periodId(series, to)),
    async months(series, { from, to }) {
      const months = await between(periodId(series, monthOf(from)), periodId(series, monthOf(to)));
      return months.filter(({ period }) => {
        const range = rangeOfMonth(period);
        return range.from >= from && range.to <= to;
      });
    },
    async lastFinalDay(series) {
      const days = { $gte: periodId(series, ''), $lte: periodId(series, AFTER_DAYS) };
      const filter = { _id: days, isFinal: true } as Filter<PeriodDocument>;
      const [last] = await mongoCall(() => periods.find(filter).sort({ _id: -1 }).limit(1).toArray());
      return last === undefined ? null : readPeriod(last).period;
    },
    read: parts.read,
    async deleteLeftovers(series, { from, to }) {
      for (const [first, last] of [
        [from, to],
        [monthOf(from), monthOf(to)],
      ] as const) {
        const ids = [periodId(series, first), periodId(series, last)] as const;
        // The records first: one that is written meanwhile was read later than what is deleted. As a majority has them: a
        // failover may take one back, and then the one before it is there again, and names its parts.
        const records = (await readAllCommitted(periods, idsBetween(...ids))).map(readPeriod);
        const known = new Map(records.map((period) => [periodId(period, period.period), period]));
        const leftovers: string[] = [];
        for await (const head of parts.heads(...ids)) {
          if (isLeftover(head, known.get(head.of))) leftovers.push(head._id);
        }
        await parts.remove(leftovers);
      }
    },
  };
}

function idsBetween(first: string, last: string): Filter<PeriodDocument> {
  return { _id: { $gte: first, $lte: last } };
}

/** Whether a part is of no record, nor of one that may be written yet: those are of what was read later than the record. */
function isLeftover({ _id, of, pulledAt }: PartHead, period: StoredPeriod | undefined): boolean {
  if (period === undefined || _id.startsWith(`${of}/${period.generation}/`)) return false;
  return pulledAt <= period.pulledAt;
}
