/** Names and ids of the workflows of notifications. */

export const NOTIFICATION_WORKFLOWS = { deliver: 'deliver', gatherNotices: 'gatherNotices' } as const;

export const deliveryWorkflowId = (id: string): string => `deliver/${id}`;
/** No org has such a name. */
const OPERATORS = '~operators';
export const gatherWorkflowId = (org: string | null): string => `gather-notices/${org ?? OPERATORS}`;

export const NOTIFICATION_SIGNALS = {
  /** Notices of the org wait. */
  noticed: 'noticesWait',
} as const;

/** After so long a delivery is given up. */
export const DELIVERY_HOURS = 24;

export interface DeliveryJob {
  readonly id: string;
  /** Of one that was given up, and that a person asks for once more. */
  readonly again: boolean;
}

/** A delivery that waited for the end of quiet hours. */
export interface HeldJob {
  readonly id: string;
  /** That end, ISO. */
  readonly until: string;
}

export interface GatherJob {
  /** Null: the operators. */
  readonly org: string | null;
  /** It goes on: a group was told just before. */
  readonly follows: boolean;
}

/** What is told at once. */
export interface NoticeRoundJob {
  /** The same for each attempt. */
  readonly roundId: string;
  readonly org: string | null;
}

/** The way to the workflows. @throws UNAVAILABLE (retryable) where Temporal does not answer */
export interface DeliveryCommands {
  /** Idempotent by the id while it runs. With `again`, one that has ended is run once more. */
  deliver(id: string, again?: boolean): Promise<void>;
  /** Has the notices told that wait of an org. */
  gather(org: string | null): Promise<void>;
}
