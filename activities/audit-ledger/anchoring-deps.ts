import type { AnchorChain } from '../../domain/audit-ledger/anchoring-ports.ts';
import type { CheckpointStore } from '../../domain/audit-ledger/checkpoint.ts';
import type { TreeBuilder } from '../../domain/audit-ledger/merkle-tree.ts';
import type { BatchStore, EventStore, EventWriter, NamespaceLeases } from '../../domain/audit-ledger/ports.ts';
import type { LedgerSigner } from '../../domain/audit-ledger/receipt.ts';
import type { Clock } from '../../domain/clock.ts';

/** Everything the anchoring activities work with, built by a composition root in `workers/`. */
export interface AnchoringDeps {
  readonly events: EventStore;
  readonly writer: EventWriter;
  /** For closes in namespaces that are written to without a pause. */
  readonly leases: NamespaceLeases;
  readonly batches: BatchStore;
  readonly checkpoints: CheckpointStore;
  /** Name of the ledger in what it signs: checkpoints, batches and anchors. */
  readonly ledgerName: string;
  readonly signer: LedgerSigner;
  readonly trees: TreeBuilder;
  /** The chains of AUDIT_CHAINS; none anchors nowhere. */
  readonly chains: readonly AnchorChain[];
  /** Id of the event under an idempotency key, as the store derives it. */
  readonly idOfKey: (owner: { namespace: string; emitter: string; key: string }) => string;
  readonly now: Clock;
  /** Org that the ledger's own events belong to. */
  readonly platformOrg: string;
}
