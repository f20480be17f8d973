import type { Page, PageRequest } from '../page.ts';
import type { AuditEvent } from './audit-event.ts';

/** Where audit events go. */
export interface AuditTrail {
  /** Resolves when the event is kept. @throws UNAVAILABLE: the change it tells of is then reported as failed as well. */
  record(event: AuditEvent): Promise<void>;
  /** Newest first. */
  list(
    filter: { readonly type?: string; readonly subject?: string; readonly orgSlug?: string },
    page: PageRequest,
  ): Promise<Page<AuditEvent>>;
}

/** The part of a trail that is still to be told to the audit ledger. */
export interface AuditForwarding {
  /** Oldest first. */
  pending(limit: number): Promise<readonly AuditEvent[]>;
  /** The ledger has it. Idempotent. */
  forwarded(id: string): Promise<void>;
}
