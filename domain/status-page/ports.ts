/**
 * The module `status-page`: what the public sees of monitors and incidents.
 *
 * Keying: a page an org. It keeps nothing but a copy of each page, for when it cannot be read.
 * Retries: none: whoever looks again reads again.
 * Compensation: none.
 */

import type { Monitor } from '../monitors/monitor.ts';

/** What is new in a service, as the service registry has it. */
export interface ServiceChangelog {
  readonly service: string;
  /** Markdown. */
  readonly notes: string;
  readonly version: string | null;
  readonly deployedAt: Date;
  /** http or https; null for none. */
  readonly walkthroughUrl: string | null;
}

export interface ChangelogSource {
  /** Null for a service without one. @throws UNAVAILABLE where the registry does not answer; the reason of the signal */
  find(service: string, signal: AbortSignal): Promise<ServiceChangelog | null>;
}

/** A deploy that went live. */
export interface ServiceDeploy {
  readonly buildId: string;
  readonly commit: string;
  readonly at: Date;
}

export interface DeploySource {
  /** Of a service of an org since a time, oldest first; none where the org has no such service. @throws UNAVAILABLE where the registry does not answer */
  list(target: Pick<Monitor, 'serviceName' | 'org' | 'environment'>, since: Date): Promise<readonly ServiceDeploy[]>;
}

/** The last page of each org that could be read, on disk. */
export interface PageSnapshots {
  /** @param page the whole document */
  keep(org: string, page: string): Promise<void>;
  /** Null where none was kept. */
  find(org: string): Promise<string | null>;
}
