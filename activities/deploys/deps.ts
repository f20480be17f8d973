import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { WorkflowDirectory } from '../../domain/deploys/messages.ts';
import type {
  ArchiveStore,
  BuildLog,
  BuildStore,
  EdgeRouter,
  EpochStore,
  ImageBuilder,
  ReleaseStore,
  SourceFetcher,
  WorkloadRuntime,
  Workspace,
} from '../../domain/deploys/ports.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';

/** Everything the deploy activities work with, built by a composition root in `workers/`. */
export interface DeploysDeps {
  readonly services: ServiceStore;
  readonly builds: BuildStore;
  readonly releases: ReleaseStore;
  readonly epochs: EpochStore;
  readonly log: BuildLog;
  readonly archives: ArchiveStore;
  readonly sources: SourceFetcher;
  readonly workspace: Workspace;
  readonly images: ImageBuilder;
  readonly runtime: WorkloadRuntime;
  readonly edge: EdgeRouter;
  /** Null when CONFIG_ENCRYPTION_KEY is not set: then no service has secrets. */
  readonly cipher: SecretCipher | null;
  /** Clients at the identity provider; null when none is configured. */
  readonly clients: Pick<ClientAdministration, 'provision' | 'remove' | 'revokeScopes'> | null;
  /** Null when no audit ledger is configured. */
  readonly audit: AuditRecorder | null;
  readonly workflows: WorkflowDirectory;
  readonly now: Clock;
  readonly settings: DeploySettings;
}

export interface DeploySettings {
  readonly registry: string;
  readonly autoContainerFile: boolean;
  readonly secretsEnabled: boolean;
  readonly enforceMinimumCatalogVersion: boolean;
  /** Below it a build does not begin. */
  readonly minFreeDiskBytes: number;
  /** Below it old images are pruned. */
  readonly lowDiskBytes: number;
  readonly buildConcurrency: number;
  /** How long a new workload may take to answer its health endpoint. */
  readonly readinessTimeoutMs: number;
  /** Addresses injected into every workload; an unset one is left out. */
  readonly platformUrls: Readonly<Record<string, string>>;
  /** True where workloads reach services of the platform on this machine's loopback. */
  readonly hasPlatformProxy: boolean;
  /** Credentials of the platform that must never show up in a log. */
  readonly platformSecrets: readonly string[];
}
