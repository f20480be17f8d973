import { ROLL_UPS, type RollUp, type RollUpLength } from './history.ts';
import { type ByteReader, createByteReader, createByteWriter } from './varint.ts';

/**
 * Roll-ups of one monitor and length in a period, in bytes. Each begins with its place in the period, in slices of its length
 * from the beginning on, and how many bytes follow. Then, all as variable-length numbers: milliseconds up, degraded, down and in
 * maintenance; checks, failed; and the buckets of its latencies that are not empty, each as its distance to the one before
 * and its count. By place, so that a reader takes what it needs and passes over the rest.
 */

function packRollUp(rollUp: RollUp): Uint8Array {
  const { upMs, degradedMs, downMs, maintenanceMs, checks, failed, latency } = rollUp;
  const writer = createByteWriter();
  for (const value of [upMs, degradedMs, downMs, maintenanceMs, checks, failed]) writer.number(value);
  let before = 0;
  for (const [bucket, count] of latency.entries()) {
    if (count === 0) continue;
    writer.number(bucket - before);
    writer.number(count);
    before = bucket;
  }
  return writer.written();
}

function unpackRollUp(key: Pick<RollUp, 'monitorId' | 'length' | 'startsAt'>, bytes: Uint8Array): RollUp {
  const reader = createByteReader(bytes);
  const [upMs, degradedMs, downMs, maintenanceMs] = [
    reader.number(),
    reader.number(),
    reader.number(),
    reader.number(),
  ];
  const [checks, failed] = [reader.number(), reader.number()];
  const latency: number[] = [];
  for (let bucket = 0; !reader.isOver(); ) {
    bucket += reader.number();
    while (latency.length < bucket) latency.push(0);
    latency[bucket] = reader.number();
  }
  return { ...key, upMs, degradedMs, downMs, maintenanceMs, checks, failed, latency };
}

/** The packed roll-ups of a period with these in the place of those of the same beginning. All are of that period. */
export function withRollUps(packed: Uint8Array, period: RollUpPeriod, rollUps: readonly RollUp[]): Uint8Array {
  const slices = new Map(slicesOf(packed));
  for (const rollUp of rollUps) slices.set(placeOf(period, rollUp), packRollUp(rollUp));
  const writer = createByteWriter();
  for (const [place, bytes] of [...slices].sort(([one], [other]) => one - other)) {
    writer.number(place);
    writer.number(bytes.length);
    writer.bytes(bytes);
  }
  return writer.written();
}

/** Those of a period that begin in [from, to), by time. */
export function rollUpsWithin(
  packed: Uint8Array,
  { monitorId, length, period }: Pick<RollUp, 'monitorId' | 'length'> & { readonly period: RollUpPeriod },
  { from, to }: { readonly from: Date; readonly to: Date },
): readonly RollUp[] {
  const rollUps: RollUp[] = [];
  for (const [place, bytes] of slicesOf(packed)) {
    const startsAt = new Date(period.startsAt.getTime() + place * ROLL_UPS[length].lengthMs);
    if (startsAt >= to) break;
    if (startsAt >= from) rollUps.push(unpackRollUp({ monitorId, length, startsAt }, bytes));
  }
  return rollUps;
}

function* slicesOf(packed: Uint8Array): Generator<readonly [place: number, bytes: Uint8Array]> {
  const reader: ByteReader = createByteReader(packed);
  while (!reader.isOver()) {
    const place = reader.number();
    yield [place, reader.bytes(reader.number())];
  }
}

function placeOf(period: RollUpPeriod, { length, startsAt }: RollUp): number {
  return Math.round((startsAt.getTime() - period.startsAt.getTime()) / ROLL_UPS[length].lengthMs);
}

/** Roll-ups that are stored together: those of a day, and of days, of a quarter, of one monitor and length. */
export interface RollUpPeriod {
  readonly startsAt: Date;
  /** When the last of them is not kept any more. */
  readonly expiresAt: Date;
}

const DAY_MS = ROLL_UPS['1d'].lengthMs;
/** The 90 days of a page then lie in two periods at most. */
const MONTHS_OF_DAYS = 3;

export function periodOf(length: RollUpLength, at: Date): RollUpPeriod {
  const startsAt = startOf(length, at);
  return { startsAt, expiresAt: new Date(endOf(length, startsAt) + ROLL_UPS[length].keptDays * DAY_MS) };
}

/** The periods that a range touches, the first one first. */
export function periodsIn(length: RollUpLength, from: Date, to: Date): readonly RollUpPeriod[] {
  const periods: RollUpPeriod[] = [];
  for (let at = startOf(length, from); at < to; at = new Date(endOf(length, at))) periods.push(periodOf(length, at));
  return periods;
}

/** UTC */
function startOf(length: RollUpLength, at: Date): Date {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  if (length === '1d') return new Date(Date.UTC(year, month - (month % MONTHS_OF_DAYS), 1));
  return new Date(Date.UTC(year, month, at.getUTCDate()));
}

function endOf(length: RollUpLength, startsAt: Date): number {
  if (length !== '1d') return startsAt.getTime() + DAY_MS;
  return Date.UTC(startsAt.getUTCFullYear(), startsAt.getUTCMonth() + MONTHS_OF_DAYS, 1);
}
