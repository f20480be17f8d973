/**
 * The module `audit`: events that the platform records about itself, and their delivery to the audit ledger.
 *
 * Keying: an event has an id and is stored once under it. Repeated work uses the same id and adds no second event.
 * Retries: delivery is repeated until the ledger has the event, in the order of the source. The ledger takes an event
 * once under its key, so a repeated delivery adds nothing.
 * Compensation: none. A source that stores on disk keeps refused events aside for an operator.
 */

import type { Page, PageRequest } from '../page.ts';
import type { AuditEvent } from './audit-event.ts';
import type { PendingEvent } from './pending-event.ts';

/** Where every part of the platform records what it did. What the ledger is to be told is forwarded from there. */
export interface AuditRecorder {
  /**
   * Resolves when the event is kept where it outlives the process. It waits for no ledger. Under one id an event is kept
   * once, as it was first. An event that cannot be kept fails the change it tells of, where both are in one database;
   * elsewhere it is logged as lost, and the work goes on: each implementation says which.
   *
   * @throws UNAVAILABLE
   */
  record(event: AuditEvent): Promise<void>;
}

export type KeptEvent = AuditEvent & { readonly time: Date };

/** Events that stay where they were recorded, and are shown there. */
export interface AuditTrail extends AuditRecorder {
  /** Newest first. */
  list(
    filter: {
      readonly type?: string;
      /** Types that match; without flags. */
      readonly types?: RegExp;
      readonly subject?: string;
      readonly orgSlug?: string;
    },
    page: PageRequest,
  ): Promise<Page<KeptEvent>>;
}

/** Why the ledger does not take an event; never what the event says. */
export interface Refusal {
  /** Such as `EVENT_INVALID`. */
  readonly code: string;
  readonly message: string;
}

/** Events that wait for the audit ledger, in their order. */
export interface LedgerSource {
  /** The oldest that wait, at most so many. They wait until they are marked. @throws UNAVAILABLE */
  readNext(limit: number): Promise<readonly PendingEvent[]>;
  /** The ledger has it. No error when it waits no more. @throws UNAVAILABLE */
  markDelivered(event: PendingEvent): Promise<void>;
  /**
   * The ledger will never take it: it waits no more, and a durable source keeps it aside for people. No error when it
   * waits no more. @throws UNAVAILABLE
   */
  markRefused(event: PendingEvent, refusal: Refusal): Promise<void>;
}
