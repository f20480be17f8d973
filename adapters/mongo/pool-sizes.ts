import type { MongoClient } from 'mongodb';

/** The connections of a process to one database, of all servers together. */
export interface PoolSizes {
  /** Those that are open, or being opened. */
  readonly open: number;
  /** Of these, those that a call uses. */
  readonly checkedOut: number;
  /** Calls that wait for one. */
  readonly waiting: number;
  /** How many there may be to one server. */
  readonly most: number;
}

/** What each event of the driver says of a pool. */
const CHANGES = {
  connectionCreated: { open: 1, checkedOut: 0, waiting: 0 },
  connectionClosed: { open: -1, checkedOut: 0, waiting: 0 },
  connectionCheckOutStarted: { open: 0, checkedOut: 0, waiting: 1 },
  connectionCheckOutFailed: { open: 0, checkedOut: 0, waiting: -1 },
  connectionCheckedOut: { open: 0, checkedOut: 1, waiting: -1 },
  connectionCheckedIn: { open: 0, checkedOut: -1, waiting: 0 },
} as const;

/**
 * Follows the pools of a client by what the driver tells, from before its first connection on: it does not tell how they stand. A call
 * that is given up by a signal of its own would leave no event: none of ours is.
 */
export function followPool(client: MongoClient, most: number): () => PoolSizes {
  const sizes = { open: 0, checkedOut: 0, waiting: 0 };
  for (const [event, change] of Object.entries(CHANGES)) {
    client.on(event as keyof typeof CHANGES, () => {
      sizes.open += change.open;
      sizes.checkedOut += change.checkedOut;
      sizes.waiting += change.waiting;
    });
  }
  return () => ({ ...sizes, most });
}
