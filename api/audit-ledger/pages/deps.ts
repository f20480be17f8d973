import type { CheckBatch } from '../../../domain/audit-ledger/checked-batch.ts';
import type { BatchStore, EventStore } from '../../../domain/audit-ledger/ports.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { CodeLogin } from '../../../domain/identity/code-login.ts';
import type { Authenticate } from '../../http/caller.ts';

/** What the pages for auditors work with. */
export interface AuditPagesDeps {
  readonly store: EventStore;
  readonly batches: BatchStore;
  readonly checkBatch: CheckBatch;
  readonly now: Clock;
  /** The app's own: the token that a browser keeps is verified as any other, at every request. */
  readonly authenticate: Authenticate;
  /** Null where no identity provider is known: then nobody can sign in. */
  readonly login: CodeLogin | null;
  /** True where browsers come by https. */
  readonly secureCookies: boolean;
}
