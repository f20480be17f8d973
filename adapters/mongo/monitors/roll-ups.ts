import { Binary, type Collection, type Db } from 'mongodb';
import { z } from 'zod';
import type { RollUp, RollUpLength } from '../../../domain/monitors/history.ts';
import { packRollUp, periodOf, periodsIn, unpackRollUp } from '../../../domain/monitors/packed-roll-up.ts';
import { type HourEnd, MOST_HOUR_ENDS, type RollUpStore } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { readDocument } from '../read-document.ts';
import { verdictSchema } from './condition-document.ts';
import { COLLECTIONS } from './indexes.ts';

/** Documents of one command. */
const AT_ONCE = 500;

/** Roll-ups of one monitor and length in a day or month; a slice is named by its beginning, in minutes since 1970. */
interface PeriodDocument {
  readonly _id: string;
  readonly expiresAt: Date;
  readonly slices: Readonly<Record<string, Binary>>;
}
interface EndsDocument {
  readonly _id: string;
  /** The oldest first. */
  readonly ends: readonly Omit<HourEnd, 'monitorId'>[];
}

const periodSchema = z.object({ _id: z.string(), slices: z.record(z.string(), z.instanceof(Binary)) });
const endsSchema = z.object({
  _id: z.string(),
  ends: z.array(
    z.object({ hour: z.date(), closing: z.object({ verdict: verdictSchema, lastAt: z.number().nullable() }) }),
  ),
});

/** Roll-ups in MongoDB: those of one period in one document, so that 90 days are read as quickly as one. */
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
  return {
    async write(rollUps) {
      const updates = [...byPeriod(rollUps)].map(([_id, { expiresAt, slices }]) => ({
        updateOne: { filter: { _id }, update: { $set: { expiresAt, ...slices } }, upsert: true },
      }));
      for (let first = 0; first < updates.length; first += AT_ONCE) {
        await mongoCall(() => periods.bulkWrite(updates.slice(first, first + AT_ONCE), { ordered: false }));
      }
    },
    async read(monitorId, length, from, to) {
      const ids = periodsIn(length, from, to).map(({ startsAt }) => periodId(monitorId, length, startsAt));
      const documents = await mongoCall(() => periods.find({ _id: { $in: ids } }).toArray());
      return documents
        .flatMap((document) => slicesOf(document, monitorId, length))
        .filter(({ startsAt }) => from <= startsAt && startsAt < to)
        .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
    },
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
  };
}

function byPeriod(rollUps: readonly RollUp[]) {
  const periods = new Map<string, { readonly expiresAt: Date; readonly slices: Record<string, Binary> }>();
  for (const rollUp of rollUps) {
    const { startsAt, expiresAt } = periodOf(rollUp.length, rollUp.startsAt);
    const id = periodId(rollUp.monitorId, rollUp.length, startsAt);
    const period = periods.get(id) ?? { expiresAt, slices: {} };
    period.slices[`slices.${rollUp.startsAt.getTime() / 60_000}`] = new Binary(packRollUp(rollUp));
    periods.set(id, period);
  }
  return periods;
}

function slicesOf(document: unknown, monitorId: string, length: RollUpLength): readonly RollUp[] {
  const { slices } = readDocument('period of roll-ups', periodSchema, document);
  return Object.entries(slices).map(([minute, packed]) => {
    const key = { monitorId, length, startsAt: new Date(Number(minute) * 60_000) };
    return unpackRollUp(key, packed.buffer.subarray(0, packed.position));
  });
}

function periodId(monitorId: string, length: RollUpLength, startsAt: Date): string {
  return `${monitorId}/${length}/${startsAt.toISOString().slice(0, 10)}`;
}
