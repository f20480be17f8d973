import type { Db } from 'mongodb';
import { endOfDay, startOfDay } from '../../../domain/audit-ledger/days.ts';
import { mongoCall } from '../connect.ts';
import { ANCHORING_COLLECTIONS } from './anchoring-indexes.ts';

/**
 * Until when the ledger is anchored on a chain, as its records say: the end of the newest day whose root is confirmed there. The beginning
 * of the first day where none is, and null where there is no day yet.
 * @throws UNAVAILABLE
 */
export async function anchoredUntil(db: Db, chainId: number): Promise<Date | null> {
  const batches = db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
  const days = { projection: { _id: 1 } } as const;
  const anchored = await mongoCall(() =>
    batches.findOne({ 'anchors.chainId': chainId }, { ...days, sort: { _id: -1 } }),
  );
  if (anchored !== null) return endOfDay(anchored._id);
  const first = await mongoCall(() => batches.findOne({}, { ...days, sort: { _id: 1 } }));
  return first === null ? null : startOfDay(first._id);
}
