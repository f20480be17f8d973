import type { Environment } from '../environment.ts';

/** Names and messages of the workflow that seals every stored secret with the current key. */

export const CONFIG_WORKFLOWS = { reencryptSecrets: 'reencryptSecrets' } as const;

/** One run at a time for each key: a worker that still seals with an earlier key has no part in that of the current one. */
export const reencryptionWorkflowId = (keyId: string): string => `secret-reencryption/${keyId}`;

/** Query of that workflow. */
export const REENCRYPTION_PROGRESS = 'reencryptionProgress';

/** Kinds of records that hold secrets, by the key that seals them, in the order in which they are gone through. */
export const SECRET_KINDS = [
  'services',
  'releases',
  'git-connections',
  'databases',
  'certificates',
  'acme-accounts',
] as const;
export const LOCKER_KINDS = ['locker-items'] as const;

export type SecretKind = (typeof SECRET_KINDS)[number] | (typeof LOCKER_KINDS)[number];

/** A secret that no key of this installation opens: it has to be set anew. */
export interface UnreadableSecret {
  readonly service: string;
  readonly environment: Environment | null;
  readonly name: string;
}

/** What one run did so far. */
export interface ReencryptionProgress {
  /** Secrets looked at, each once a sweep. */
  readonly checked: number;
  /** Secrets that were sealed with an earlier key and now are with the current one. */
  readonly resealed: number;
  /** How many no key opens, and the first 50 of them. */
  readonly unreadable: { readonly count: number; readonly first: readonly UnreadableSecret[] };
  /** True when the last sweep still found some to seal: a process that goes on sealing with an earlier key runs somewhere. */
  readonly earlierKeyInUse: boolean;
}

export const MAX_UNREADABLE_SHOWN = 50;

export const NO_PROGRESS: ReencryptionProgress = {
  checked: 0,
  resealed: 0,
  unreadable: { count: 0, first: [] },
  earlierKeyInUse: false,
};

/** A run as the API shows it; `failed` also for one that was terminated. */
export interface ReencryptionRun {
  readonly status: 'running' | 'completed' | 'failed';
  readonly progress: ReencryptionProgress;
  /** Why its page failed, while that is tried again; null when nothing is known to hold it up. */
  readonly problem: string | null;
}

/** What the API asks of the workflow. */
export interface ReencryptionCommands {
  /** Starts a run that seals with the key of that id, or joins the one under way. @throws UNAVAILABLE */
  start(keyId: string): Promise<void>;
  /** The run for that key that is under way, or the last one; null when there was none. @throws UNAVAILABLE */
  latest(keyId: string): Promise<ReencryptionRun | null>;
}
