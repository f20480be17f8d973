import type { PodTierName } from '../catalog/pod-tiers.ts';
import type { SealedSecret } from '../config/sealed-secret.ts';
import type { ConsumedDatabase } from '../databases/consumer.ts';
import type { DatabaseEngine } from '../databases/engines.ts';
import type { Environment } from '../environment.ts';
import type { ResolvedDependency } from './dependency.ts';
import type { HealthRule } from './health.ts';
import type { PortRule } from './listening.ts';
import type { ResourceRequests } from './workload-runtime.ts';

/**
 * A release is what was installed and answered: image digest, configuration and where it came from. Rolling back
 * installs it again without a build.
 */
export interface Release {
  /** `rel_…` */
  readonly id: string;
  readonly buildId: string;
  readonly serviceId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly commitSha: string | null;
  readonly imageTag: string;
  /** `registry/name@sha256:…` */
  readonly imageDigest: string;
  readonly port: number;
  readonly portRule: PortRule;
  /** True for a service that was found to listen on the loopback of its container alone. */
  readonly onLoopback: boolean;
  readonly healthEndpoint: string;
  readonly healthRule: HealthRule;
  readonly podTier: PodTierName;
  /** Absent in releases of earlier versions: those of the tier. */
  readonly requests?: ResourceRequests | undefined;
  /** False in releases that earlier versions made of images with a container file of their own. */
  readonly readOnlyRoot: boolean;
  /** Folders it writes to, beside the usual ones. */
  readonly writablePaths: readonly string[];
  /** Folders that it was found to make where nothing can be written: each is kept in memory. From the image's working folder where not whole. */
  readonly foundFolders: readonly string[];
  /** True when its catalog declared `spec.auth`: it is started with the client credentials its service has then. */
  readonly oauthClient: boolean;
  /** Its public address when it was made; null in releases of earlier versions. */
  readonly publicUrl: string | null;
  /** The services that it calls, where they were when it was made. */
  readonly dependencies: readonly ResolvedDependency[];
  /** Engines of its databases: it is started with the logins that its service has then. */
  readonly databases: readonly DatabaseEngine[];
  /** Databases of other services: it is started with the logins that its service has to them then. */
  readonly consumedDatabases: readonly ConsumedDatabase[];
  /** Configuration as it was installed: plain values in clear, secrets sealed. */
  readonly config: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, SealedSecret>>;
  readonly createdAt: Date;
  /** When it last became the serving release of its service and environment; null when it never did. */
  readonly activatedAt: Date | null;
  /** Epoch of that activation; null when it never was, or by version 0.1. */
  readonly epoch: number | null;
  /** The build whose workload serves since that activation; null as `epoch`. */
  readonly installedBy: string | null;
}
