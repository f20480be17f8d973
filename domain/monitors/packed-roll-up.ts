import { ROLL_UPS, type RollUp, type RollUpLength } from './history.ts';

/**
 * A roll-up in bytes, little-endian: up, degraded, down, maintenance in milliseconds, checks, failed (4 bytes each), then
 * the buckets of its latencies that are not empty (1 byte the bucket, 4 its count). What it is of stands in its key.
 */
const FIXED_BYTES = 24;
const BUCKET_BYTES = 5;

export function packRollUp(rollUp: RollUp): Uint8Array {
  const buckets = [...rollUp.latency.entries()].filter(([, count]) => count > 0);
  const bytes = new Uint8Array(FIXED_BYTES + BUCKET_BYTES * buckets.length);
  const view = new DataView(bytes.buffer);
  const { upMs, degradedMs, downMs, maintenanceMs, checks, failed } = rollUp;
  for (const [index, value] of [upMs, degradedMs, downMs, maintenanceMs, checks, failed].entries()) {
    view.setUint32(4 * index, value, true);
  }
  for (const [index, [bucket, count]] of buckets.entries()) {
    view.setUint8(FIXED_BYTES + BUCKET_BYTES * index, bucket);
    view.setUint32(FIXED_BYTES + BUCKET_BYTES * index + 1, count, true);
  }
  return bytes;
}

export function unpackRollUp(key: Pick<RollUp, 'monitorId' | 'length' | 'startsAt'>, bytes: Uint8Array): RollUp {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = (index: number): number => view.getUint32(4 * index, true);
  const latency: number[] = [];
  for (let offset = FIXED_BYTES; offset + BUCKET_BYTES <= bytes.length; offset += BUCKET_BYTES) {
    const bucket = view.getUint8(offset);
    while (latency.length <= bucket) latency.push(0);
    latency[bucket] = view.getUint32(offset + 1, true);
  }
  const [upMs, degradedMs, downMs, maintenanceMs] = [value(0), value(1), value(2), value(3)];
  return { ...key, upMs, degradedMs, downMs, maintenanceMs, checks: value(4), failed: value(5), latency };
}

/** Roll-ups that are stored together: those of a day, or of a month, of one monitor and length. */
export interface RollUpPeriod {
  readonly startsAt: Date;
  /** When the last of them is not kept any more. */
  readonly expiresAt: Date;
}

export function periodOf(length: RollUpLength, at: Date): RollUpPeriod {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const isMonth = length === '1d';
  const startsAt = new Date(Date.UTC(year, month, isMonth ? 1 : at.getUTCDate()));
  const endsAt = isMonth ? Date.UTC(year, month + 1, 1) : startsAt.getTime() + ROLL_UPS['1d'].lengthMs;
  return { startsAt, expiresAt: new Date(endsAt + ROLL_UPS[length].keptDays * ROLL_UPS['1d'].lengthMs) };
}

/** The periods that a range touches, the first one first. */
export function periodsIn(length: RollUpLength, from: Date, to: Date): readonly RollUpPeriod[] {
  const periods: RollUpPeriod[] = [];
  for (let at = periodOf(length, from).startsAt; at < to; at = new Date(nextStart(length, at))) {
    periods.push(periodOf(length, at));
  }
  return periods;
}

function nextStart(length: RollUpLength, start: Date): number {
  if (length !== '1d') return start.getTime() + ROLL_UPS['1d'].lengthMs;
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}
