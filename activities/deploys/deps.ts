import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { SharingCommands, SharingHistory } from '../../domain/authorized-orgs/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { VariableHistory } from '../../domain/config/variable-history.ts';
import type { ServiceDatabases } from '../../domain/databases/service-databases.ts';
import type { GateSettings } from '../../domain/deploy-gate/gate.ts';
import type { BuildLog, BuildStore, DeployTarget, EpochStore } from '../../domain/deploys/build-store.ts';
import type { PlatformDns } from '../../domain/deploys/dns-records.ts';
import type { TestRunner } from '../../domain/deploys/gated-tests.ts';
import type { ImageBuilder } from '../../domain/deploys/image-builder.ts';
import type { WorkflowDirectory } from '../../domain/deploys/messages.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import type { RuntimeName } from '../../domain/deploys/runtime-capabilities.ts';
import type { CustomDomains, SiteRegistry } from '../../domain/deploys/site-registry.ts';
import type { ArchiveStore, SourceFetcher, Workspace } from '../../domain/deploys/source-ports.ts';
import type { UptimeMonitor } from '../../domain/deploys/uptime-monitor.ts';
import type { EdgeRouter, WorkloadRuntime, WorkloadStates } from '../../domain/deploys/workload-runtime.ts';
import type { GrantCommands, GrantStore } from '../../domain/grants/ports.ts';
import type { ServiceLogs } from '../../domain/logs/service-log.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import type { WalletReader } from '../../domain/wallet/ports.ts';

/** Everything the deploy activities work with, built by a composition root in `workers/`. */
export interface DeploysDeps {
  readonly services: ServiceStore;
  readonly variableHistory: VariableHistory;
  readonly builds: BuildStore;
  readonly releases: ReleaseStore;
  readonly epochs: EpochStore;
  readonly log: BuildLog;
  readonly serviceLogs: Pick<ServiceLogs, 'remove'>;
  readonly archives: ArchiveStore;
  readonly sources: SourceFetcher;
  readonly workspace: Workspace;
  readonly images: ImageBuilder;
  readonly runtime: WorkloadRuntime;
  readonly workloadStates: WorkloadStates;
  readonly edge: EdgeRouter;
  /** Null when CONFIG_ENCRYPTION_KEY is not set: then no service has secrets. */
  readonly cipher: SecretCipher | null;
  /** Clients at the identity provider; null when none is configured. */
  readonly clients: Pick<
    ClientAdministration,
    'find' | 'provision' | 'addScopes' | 'removeRedirectUri' | 'setSignIn' | 'remove' | 'revokeScopes'
  > | null;
  /** Null when CONFIG_ENCRYPTION_KEY is not set: then no service has databases. */
  readonly databases: ServiceDatabases | null;
  /** Null when none is configured (WALLET_URL). */
  readonly wallet: WalletReader | null;
  /** The service registry; null when none is configured. Images are pushed elsewhere: `settings.registry`. */
  readonly serviceRegistry: ServiceRegistry | null;
  /** Null when none is configured (MONITOR_URL). */
  readonly monitor: UptimeMonitor | null;
  /** Null when none is told of deploys (SITE_REGISTRY_URL, SITE_REGISTRY_HOOKS). */
  readonly siteRegistry: SiteRegistry | null;
  readonly customDomains: CustomDomains;
  /** Null where this installation manages no DNS. */
  readonly dns: PlatformDns | null;
  /** Null when none is configured (TEST_RUNNER_URL). */
  readonly testRunner: TestRunner | null;
  readonly grants: GrantStore;
  readonly grantCommands: GrantCommands;
  readonly sharingHistory: Pick<SharingHistory, 'removeService'>;
  readonly sharingCommands: Pick<SharingCommands, 'withdraw'>;
  /** Null when no audit ledger is configured. */
  readonly audit: AuditRecorder | null;
  readonly workflows: WorkflowDirectory;
  readonly now: Clock;
  readonly settings: DeploySettings;
}

export interface DeploySettings {
  /** What runs workloads: plans say so. */
  readonly runtimeName: RuntimeName;
  /** Address of the image registry. */
  readonly registry: string;
  readonly autoContainerFile: boolean;
  /** Packages of the SDK, or scopes that end with `/`: see domain/deploys/sdk-packages.ts. */
  readonly sdkPackages: readonly string[];
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
  /** The address by which workloads call a service in their environment, where the runtime has one without a proxy. */
  readonly innerUrl?: (target: DeployTarget) => string;
  /** True where workloads reach services of the platform on this machine's loopback. */
  readonly hasPlatformProxy: boolean;
  readonly gate: GateSettings;
  /** Credentials of the platform that must never show up in a log. */
  readonly platformSecrets: readonly string[];
}
