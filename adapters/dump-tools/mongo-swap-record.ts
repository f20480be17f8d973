import type { MongoClient } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { type SwapRecord, swapsOf } from '../mongodb-server/own-databases.ts';

/** Changes the record for the call that it names. @throws CONFLICT (retryable) when another call goes on with it */
export async function setPhase(
  client: MongoClient,
  { _id, attempt, live }: SwapRecord,
  change: Partial<Pick<SwapRecord, 'phase' | 'keptSum'>>,
): Promise<void> {
  const { matchedCount } = await swapsOf(client).updateOne({ _id, attempt }, { $set: change });
  if (matchedCount === 0) throw isElsewhere(live);
}

/** @throws CONFLICT (retryable) when another call goes on with it */
export async function requireHeld(client: MongoClient, { _id, attempt, live }: SwapRecord): Promise<void> {
  if ((await swapsOf(client).findOne({ _id, attempt })) === null) throw isElsewhere(live);
}

export function isElsewhere(live: string): FairleadError {
  return new FairleadError('CONFLICT', `Another attempt goes on with the restore of ${live}`, { retryable: true });
}
