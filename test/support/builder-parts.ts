import type { SharingHistory } from '../../domain/authorized-orgs/ports.ts';
import type { BackupStore, RestoreStore } from '../../domain/backups/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { VariableHistory } from '../../domain/config/variable-history.ts';
import type { CustomDomainStore } from '../../domain/custom-domains/ports.ts';
import type { BuildLog, BuildStore } from '../../domain/deploys/build-store.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import type { ArchiveStore } from '../../domain/deploys/source-ports.ts';
import type { WorkloadStates } from '../../domain/deploys/workload-runtime.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore } from '../../domain/git-hooks/ports.ts';
import type { GitIdentityStore } from '../../domain/git-identities/ports.ts';
import type { GrantStore } from '../../domain/grants/ports.ts';
import type { PlatformLogReader } from '../../domain/logs/platform-log.ts';
import type { ServiceLogs } from '../../domain/logs/service-log.ts';
import type { PlatformBackupStore } from '../../domain/platform-backup/ports.ts';

/** What the builder's routes keep: in memory (`in-memory/builder-parts.ts`) or on real stores (`stored-builder-parts.ts`). */
export interface BuilderParts {
  readonly backups: BackupStore;
  readonly restores: RestoreStore;
  readonly platformBackups: PlatformBackupStore;
  readonly services: ServiceStore;
  readonly history: VariableHistory;
  readonly builds: BuildStore;
  readonly domains: CustomDomainStore;
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
  readonly platformLogs: PlatformLogReader;
  readonly archives: ArchiveStore;
  /** Lets exactly these orgs share a service. */
  authorize(serviceId: string, orgs: readonly string[]): Promise<void>;
  /** Fails while what is kept cannot be reached. */
  ping(): Promise<void>;
  stop(): Promise<void>;
}
