import type { Db } from 'mongodb';
import { mongoCall } from '../connect.ts';
import { CERTIFICATE_COLLECTIONS } from './certificate-indexes.ts';

const DAY_MS = 86_400_000;

/** By how long certificates are good from now on; each is in one of them. */
const RANGES = [
  { range: 'expired', under: 0 },
  { range: 'under_7', under: 7 },
  { range: 'under_14', under: 14 },
  { range: 'under_30', under: 30 },
  { range: '30_or_more', under: Number.POSITIVE_INFINITY },
] as const;

export type DaysLeft = (typeof RANGES)[number]['range'];

/** How many certificates of customers' names there are, by the days that they are good for. @throws UNAVAILABLE */
export async function certificatesByDaysLeft(db: Db, now: Date): Promise<ReadonlyMap<DaysLeft, number>> {
  const collection = db.collection<{ current: { notAfter: Date } | null }>(CERTIFICATE_COLLECTIONS.certificates);
  const counts = new Map<DaysLeft, number>(RANGES.map(({ range }) => [range, 0]));
  const ends = collection.find({ current: { $ne: null } }, { projection: { 'current.notAfter': 1 } });
  await mongoCall(async () => {
    for await (const { current } of ends) {
      const days = ((current?.notAfter.getTime() ?? 0) - now.getTime()) / DAY_MS;
      const { range } = RANGES.find(({ under }) => days < under) ?? RANGES[0];
      counts.set(range, (counts.get(range) ?? 0) + 1);
    }
  });
  return counts;
}
