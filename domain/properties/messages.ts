import type { SyncSummary } from './domain-map.ts';
import type { VerifyOutcome } from './verify-job.ts';

/** Names, ids and message types of the workflows of Properties. */

export const PROPERTY_WORKFLOWS = {
  syncDomainMap: 'syncDomainMap',
  syncDaily: 'syncDaily',
  verifyProperty: 'verifyProperty',
  verifyMany: 'verifyMany',
  resumeVerifications: 'resumeVerifications',
  recheckProperties: 'recheckProperties',
  askSearchEngine: 'askSearchEngine',
} as const;

/** Signals of `verifyProperty`. */
export const VERIFY_SIGNALS = {
  /** A person ignores the Property: the run ends. */
  ignored: 'propertyIgnored',
} as const;

/** One sync at a time, in the whole installation. */
export const SYNC_WORKFLOW_ID = 'property-sync';

/** One run of a domain at a time. */
export const verifyWorkflowId = (domain: string): string => `verify/${domain}`;
export const verifyManyWorkflowId = (jobId: string): string => `verify-bulk/${jobId}`;

export interface VerifyRequest {
  readonly domain: string;
  readonly jobId: string;
}

export interface VerifyResult {
  readonly outcome: VerifyOutcome;
  readonly message: string | null;
}

export interface VerifyManyRequest {
  readonly jobId: string;
  readonly domains: readonly string[];
}

/** What the search engine is asked once. */
export type Question =
  | { readonly kind: 'check'; readonly domain: string }
  | { readonly kind: 'record'; readonly domain: string }
  | { readonly kind: 'owner'; readonly domain: string; readonly email: string };

export interface CheckAnswer {
  readonly verified: boolean;
  /** Why it is not. */
  readonly reason: string | null;
}
export interface RecordAnswer {
  readonly token: string;
}
export interface OwnerAnswer {
  readonly owners: readonly string[];
}

/** The way to the workflows. @throws UNAVAILABLE (retryable) where Temporal or a worker does not answer */
export interface PropertyCommands {
  /** Syncs the domain map and waits for the end. @throws SYNC_IN_PROGRESS; what reading the map throws */
  sync(): Promise<SyncSummary>;
  /** Begins a run. @throws VERIFY_IN_PROGRESS */
  verify(request: VerifyRequest): Promise<void>;
  verifyMany(request: VerifyManyRequest): Promise<void>;
  /** Ends the run of a domain that is ignored now, if there is one. */
  tellIgnored(domain: string): Promise<void>;
  /** Whether a workflow runs for a job, or for one of its domains. */
  isUnderWay(workflowId: string): Promise<boolean>;
  check(domain: string): Promise<CheckAnswer>;
  readRecord(domain: string): Promise<RecordAnswer>;
  addOwner(domain: string, email: string): Promise<OwnerAnswer>;
}
