import type { Db } from 'mongodb';
import { statusesBefore } from '../../../domain/deploys/status.ts';
import { mongoCall } from '../connect.ts';
import { COLLECTIONS } from './indexes.ts';

/** How many builds have not ended, by what they do. */
export interface OpenBuilds {
  /** They wait for a slot. */
  readonly queued: number;
  readonly running: number;
  /** They wait for somebody's decision. */
  readonly waiting: number;
}

/** @throws UNAVAILABLE */
export async function countOpenBuilds(db: Db): Promise<OpenBuilds> {
  const collection = db.collection(COLLECTIONS.builds);
  const open = statusesBefore('failed');
  const count = (filter: object) => mongoCall(() => collection.countDocuments(filter));
  const [queued, running, waiting] = await Promise.all([
    count({ status: 'queued', waiting: null }),
    count({ status: { $in: open.filter((status) => status !== 'queued') }, waiting: null }),
    count({ status: { $in: [...open] }, waiting: { $ne: null } }),
  ]);
  return { queued, running, waiting };
}
