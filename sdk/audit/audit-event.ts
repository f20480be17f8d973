import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { LedgerSource } from '../../domain/audit/ports.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';

/** What a service says happened (spec 3, "Audit event"). The ledger adds the org, the time and the place in the chain. */
export interface AuditEventInput {
  /** `{resource}.{action}`, lower case, dot-separated, such as `payment.created`. */
  readonly eventType: string;
  /** A stable id, such as an org slug or a user id. */
  readonly entityId: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** For example who and why. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Only the platform names one; for a service it is its own name. */
  readonly namespace?: string;
  /** Only the platform names one; for a service it is the org of its token. */
  readonly orgSlug?: string;
}

/**
 * What became of an event. `recorded`: the ledger has it and signed for it. `kept`: it is on disk and will be sent, also
 * after a restart. `lost`: it is not in the ledger, and `error` says why.
 */
export type EmitOutcome =
  | { readonly status: 'recorded'; readonly receipt: Receipt }
  | { readonly status: 'kept' }
  | { readonly status: 'lost'; readonly error: Error };

/** Where events of this process wait for being sent, in their order. */
export interface EventQueue extends LedgerSource {
  readonly size: number;
  /**
   * Takes an event. It may drop another for it, the oldest that is not being sent, which it returns.
   * @throws UNAVAILABLE when it takes none
   */
  add(event: PendingEvent): Promise<PendingEvent | null>;
  /** True when what waits here outlives the process. */
  readonly durable: boolean;
  close(): Promise<void>;
}
