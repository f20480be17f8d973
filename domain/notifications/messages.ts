/** Names and ids of the workflows of notifications. */

export const NOTIFICATION_WORKFLOWS = { deliver: 'deliver' } as const;

export const deliveryWorkflowId = (id: string): string => `deliver/${id}`;

/** After so long a delivery is given up. */
export const DELIVERY_HOURS = 24;

export interface DeliveryJob {
  readonly id: string;
  /** Of one that was given up, and that a person asks for once more. */
  readonly again: boolean;
}

/** The way to the workflows. @throws UNAVAILABLE (retryable) where Temporal does not answer */
export interface DeliveryCommands {
  /** Idempotent by the id while it runs. With `again`, one that has ended is run once more. */
  deliver(id: string, again?: boolean): Promise<void>;
}
