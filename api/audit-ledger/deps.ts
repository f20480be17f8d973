import type { CheckpointStore } from '../../domain/audit-ledger/checkpoint.ts';
import type { EmitCounter } from '../../domain/audit-ledger/emit-limit.ts';
import type { EventStore, EventWriter } from '../../domain/audit-ledger/ports.ts';
import type { LedgerSigner } from '../../domain/audit-ledger/receipt.ts';
import type { VerificationRuns } from '../../domain/audit-ledger/verification.ts';
import type { Clock } from '../../domain/clock.ts';

/** What the routes of the ledger's chains work with. */
export interface LedgerDeps {
  readonly store: EventStore;
  readonly writer: EventWriter;
  readonly counter: EmitCounter;
  readonly checkpoints: CheckpointStore;
  readonly signer: LedgerSigner;
  readonly verifications: VerificationRuns;
  readonly now: Clock;
  readonly settings: LedgerSettings;
}

export interface LedgerSettings {
  /** Name of the ledger in its checkpoints, such as `audit.example.org`. */
  readonly ledgerName: string;
  /** Emits of a caller a minute. */
  readonly emitLimit: number;
  /** Events that a request for verification is kept waiting for. */
  readonly verifiedAtOnce: number;
}
