import type { SharingHistory } from '../../domain/authorized-orgs/ports.ts';
import type { BackupStore, RestoreStore } from '../../domain/backups/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { VariableHistory } from '../../domain/config/variable-history.ts';
import type { ArchiveStore, BuildLog, BuildStore, ReleaseStore, WorkloadStates } from '../../domain/deploys/ports.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore } from '../../domain/git-hooks/ports.ts';
import type { GitIdentityStore } from '../../domain/git-identities/ports.ts';
import type { GrantStore } from '../../domain/grants/ports.ts';
import type { ServiceLogs } from '../../domain/logs/service-log.ts';

/** What the builder's routes keep: in memory (`in-memory/builder-parts.ts`) or on real stores (`stored-builder-parts.ts`). */
export interface BuilderParts {
  readonly backups: BackupStore;
  readonly restores: RestoreStore;
  readonly services: ServiceStore;
  readonly history: VariableHistory;
  readonly builds: BuildStore;
  readonly grants: GrantStore;
  readonly gitConnections: GitConnectionStore;
  readonly gitDeliveries: GitDeliveryStore;
  readonly gitHeads: HeadStore;
  readonly gitIdentities: GitIdentityStore;
  readonly sharingHistory: SharingHistory;
  readonly releases: ReleaseStore;
  readonly workloadStates: WorkloadStates;
  readonly log: BuildLog;
  readonly serviceLogs: ServiceLogs;
  readonly archives: ArchiveStore;
  /** Lets exactly these orgs share a service. */
  authorize(serviceId: string, orgs: readonly string[]): Promise<void>;
  /** Fails while what is kept cannot be reached. */
  ping(): Promise<void>;
  stop(): Promise<void>;
}
