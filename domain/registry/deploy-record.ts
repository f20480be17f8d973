import type { Environment } from '../environment.ts';

/** What a deploy leaves in the registry: its manifest and its snapshot, each written once. */
export interface DeployRecord {
  readonly buildId: string;
  readonly serviceId: string;
  readonly environment: Environment;
  /** When the first of the two was written. */
  readonly at: Date;
  /** Null until the deploy is live. */
  readonly manifest: DeployManifest | null;
  readonly snapshot: DeploySnapshot | null;
}

/** Against which the next deploy tells whether a package of the SDK was upgraded (spec 2, step 8). */
export interface DeployManifest {
  readonly commit: string;
  /** Versions by package. */
  readonly sdkVersions: Readonly<Record<string, string>>;
  /** Who asked for the deploy: a user id or `internal`. */
  readonly deployedBy: string;
}

/** What was installed. Of variables the names alone, whether they are secret or not. */
export interface DeploySnapshot {
  readonly releaseId: string;
  readonly commit: string | null;
  readonly imageDigest: string;
  readonly port: number;
  readonly podTier: string;
  readonly healthEndpoint: string;
  /** Names. */
  readonly config: readonly string[];
  /** Names. */
  readonly secrets: readonly string[];
}

/** Records of one service and environment that are kept; older ones go when a new one is written. */
export const DEPLOYS_KEPT = 200;

/** What a version of a package of the SDK changes for its users. */
export interface PackageChangelog {
  readonly package: string;
  readonly version: string;
  readonly notes: string;
  readonly publishedBy: string;
  readonly publishedAt: Date;
}
