import { Binary, type Collection, type Db } from 'mongodb';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { RollUp, RollUpLength } from '../../../domain/monitors/history.ts';
import {
  periodOf,
  periodsIn,
  type RollUpPeriod,
  rollUpsWithin,
  withRollUps,
} from '../../../domain/monitors/packed-roll-up.ts';
import { type HourEnd, MOST_HOUR_ENDS, type RollUpStore } from '../../../domain/monitors/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { verdictSchema } from './condition-document.ts';
import { COLLECTIONS } from './indexes.ts';

/** Documents of one command. */
const AT_ONCE = 500;
/** Two write one period only where an attempt that was given up goes on. */
const ATTEMPTS = 5;
const NOTHING = new Uint8Array();

/** Roll-ups of one monitor and length in a day, or in a quarter. */
interface PeriodDocument {
  readonly _id: string;
  readonly expiresAt: Date;
  readonly packed: Binary;
  /** One more with each write: who writes names the one that it read. */
  readonly revision: number;
}
interface EndsDocument {
  readonly _id: string;
  /** The oldest first. */
  readonly ends: readonly Omit<HourEnd, 'monitorId'>[];
}

const periodSchema = z.object({ _id: z.string(), packed: z.instanceof(Binary), revision: z.int() });
const endsSchema = z.object({
  _id: z.string(),
  ends: z.array(
    z.object({ hour: z.date(), closing: z.object({ verdict: verdictSchema, lastAt: z.number().nullable() }) }),
  ),
});

/**
 * Roll-ups in MongoDB: those of one period in one document, packed, so that 90 days are read as quickly as one. A write reads
 * the period, and replaces it if nobody else did meanwhile.
 */
export function createRollUpStore({ db }: { readonly db: Db }): RollUpStore {
  const periods: Collection<PeriodDocument> = db.collection<PeriodDocument>(COLLECTIONS.rollUps);
  const hourEnds: Collection<EndsDocument> = db.collection<EndsDocument>(COLLECTIONS.hourEnds);
  const readEnds = async (monitorIds: readonly string[]) => {
    const ends = new Map<string, EndsDocument['ends']>();
    for (let first = 0; first < monitorIds.length; first += AT_ONCE) {
      const ids = monitorIds.slice(first, first + AT_ONCE);
      for (const document of await mongoCall(() => hourEnds.find({ _id: { $in: ids } }).toArray())) {
        const read = readDocument('list of ends', endsSchema, document);
        ends.set(read._id, read.ends);
      }
    }
    return ends;
  };
  const readRanges: RollUpStore['readRanges'] = async (monitorId, ranges) => {
    const asked = ranges.map(({ length, from, to }) =>
      periodsIn(length, from, to).map((period) => ({ period, id: periodId(monitorId, length, period.startsAt) })),
    );
    const ids = asked.flat().map(({ id }) => id);
    if (ids.length === 0) return ranges.map(() => []);
    const known = new Map((await mongoCall(() => periods.find({ _id: { $in: ids } }).toArray())).map(readPeriod));
    return ranges.map(({ length, ...range }, index) =>
      (asked[index] ?? []).flatMap(({ period, id }) =>
        rollUpsWithin(known.get(id)?.packed ?? NOTHING, { monitorId, length, period }, range),
      ),
    );
  };
  return {
    async write(rollUps) {
      const changes = byPeriod(rollUps);
      for (let first = 0; first < changes.length; first += AT_ONCE) {
        await writePeriods(periods, changes.slice(first, first + AT_ONCE));
      }
    },
    async read(monitorId, length, from, to) {
      const [rollUps = []] = await readRanges(monitorId, [{ length, from, to }]);
      return rollUps;
    },
    readRanges,
    async writeEnds(ends) {
      const known = await readEnds(ends.map(({ monitorId }) => monitorId));
      const updates = ends.map(({ monitorId, hour, closing }) => {
        const others = (known.get(monitorId) ?? []).filter((end) => end.hour.getTime() !== hour.getTime());
        const sorted = [...others, { hour, closing }].sort((a, b) => a.hour.getTime() - b.hour.getTime());
        const update = { $set: { ends: sorted.slice(-MOST_HOUR_ENDS) } };
        return { updateOne: { filter: { _id: monitorId }, update, upsert: true } };
      });
      for (let first = 0; first < updates.length; first += AT_ONCE) {
        await mongoCall(() => hourEnds.bulkWrite(updates.slice(first, first + AT_ONCE), { ordered: false }));
      }
    },
    async endsBefore(monitorIds, hour) {
      const before = new Map<string, HourEnd>();
      for (const [monitorId, ends] of await readEnds(monitorIds)) {
        const last = ends.findLast((end) => end.hour < hour);
        if (last !== undefined) before.set(monitorId, { monitorId, ...last });
      }
      return before;
    },
    async remove(monitorId) {
      // `0` is the character behind `/`: whatever begins with the id and a slash.
      await mongoCall(() => periods.deleteMany({ _id: { $gte: `${monitorId}/`, $lt: `${monitorId}0` } }));
      await mongoCall(() => hourEnds.deleteOne({ _id: monitorId }));
    },
  };
}

interface PeriodChange {
  readonly id: string;
  readonly period: RollUpPeriod;
  readonly rollUps: RollUp[];
}

function byPeriod(rollUps: readonly RollUp[]): readonly PeriodChange[] {
  const changes = new Map<string, PeriodChange>();
  for (const rollUp of rollUps) {
    const period = periodOf(rollUp.length, rollUp.startsAt);
    const id = periodId(rollUp.monitorId, rollUp.length, period.startsAt);
    const change = changes.get(id) ?? { id, period, rollUps: [] };
    change.rollUps.push(rollUp);
    changes.set(id, change);
  }
  return [...changes.values()];
}

/** Once more where somebody else wrote one of them meanwhile: what is written then is the same again. @throws CONFLICT (retryable) */
async function writePeriods(periods: Collection<PeriodDocument>, changes: readonly PeriodChange[]): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) if (await areWritten(periods, changes)) return;
  throw new FairleadError('CONFLICT', 'Another worker writes the same roll-ups of monitors', { retryable: true });
}

async function areWritten(periods: Collection<PeriodDocument>, changes: readonly PeriodChange[]): Promise<boolean> {
  const ids = changes.map(({ id }) => id);
  const known = new Map((await mongoCall(() => periods.find({ _id: { $in: ids } }).toArray())).map(readPeriod));
  const writes = changes.map(({ id, period, rollUps }) => {
    const { packed, revision } = known.get(id) ?? { packed: NOTHING, revision: 0 };
    const next = {
      expiresAt: period.expiresAt,
      packed: new Binary(withRollUps(packed, period, rollUps)),
      revision: revision + 1,
    };
    if (revision === 0) return { insertOne: { document: { _id: id, ...next } } };
    return { replaceOne: { filter: { _id: id, revision }, replacement: next } };
  });
  try {
    const { matchedCount, insertedCount } = await mongoCall(() => periods.bulkWrite(writes, { ordered: false }));
    return matchedCount + insertedCount === changes.length;
  } catch (error) {
    // Another one inserted it.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function readPeriod(document: unknown) {
  const { _id, packed, revision } = readDocument('period of roll-ups', periodSchema, document);
  return [_id, { packed: packed.buffer.subarray(0, packed.position), revision }] as const;
}

function periodId(monitorId: string, length: RollUpLength, startsAt: Date): string {
  return `${monitorId}/${length}/${startsAt.toISOString().slice(0, 10)}`;
}
