import type { MongoClient } from 'mongodb';

/** What the platform keeps on the server of services' databases: which restores were begun there. No service reaches it. */
export const BACKUPS_DATABASE = 'fairlead_backups';

/** Databases that are no service's: those of the server, and the platform's. */
export const OWN_DATABASES: readonly string[] = ['admin', 'config', 'local', BACKUPS_DATABASE];

const COLLECTIONS = { swaps: 'swaps', scratches: 'scratches' } as const;

/** A database whose place another one takes; see adapters/dump-tools/mongo-swap.ts. */
export interface SwapRecord {
  /** The database that keeps what was live. */
  readonly _id: string;
  readonly live: string;
  readonly scratch: string;
  /**
   * - `keeping`: what is live is being copied, and is as it was.
   * - `replacing`: the copy is whole, and what is live is being replaced.
   * - `overwriting`: a restore in place is under way, and nothing was copied.
   * - `done`: what is live is the new one.
   */
  readonly phase: 'keeping' | 'replacing' | 'overwriting' | 'done';
  /** Of the call that goes on with it: an earlier one, which may live on unseen, changes nothing any more. */
  readonly attempt: string;
  /** SHA-256 of the figures of the scratch database; '' where there is none. */
  readonly scratchSum: string;
  /** Of what the kept database has; '' until it is whole. */
  readonly keptSum: string;
}

/** A scratch database whose restore has ended. */
export interface ScratchRecord {
  readonly _id: string;
  readonly from: string;
  /** Of its figures. */
  readonly sum: string;
}

/** Every write is known to a majority before it is answered. */
export function swapsOf(client: MongoClient) {
  return client.db(BACKUPS_DATABASE).collection<SwapRecord>(COLLECTIONS.swaps);
}

export function scratchesOf(client: MongoClient) {
  return client.db(BACKUPS_DATABASE).collection<ScratchRecord>(COLLECTIONS.scratches);
}
