import type { z } from 'zod';
import type { CommitStatus, HookTarget, RegisteredHook } from '../../domain/git-hooks/git-host.ts';

/** A hook as a provider lists it. */
export interface ListedHook {
  readonly id: number;
  readonly address: string;
  readonly proof: RegisteredHook['proof'];
}

/** A push as a provider lists it; what is none reads as null. */
export interface ListedPush {
  /** Grows with time. */
  readonly id: number;
  readonly ref: string;
  readonly commit: string;
  readonly accountId: string;
}

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  /** What the host says of it, one line; empty for nothing. */
  readonly words: string;
}

/** What differs between the APIs of git hosts. Paths begin with a slash, below the base address. */
export interface ProviderApi {
  /** As people know it. */
  readonly title: string;
  /** Base address of the API of a host, from the address of the host. */
  readonly base: (host: URL) => string;
  /** What the API calls a repository; null when the address names none. */
  readonly repository: (url: URL) => string | null;
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  /** Where the newest pushes of a branch or tag are listed, at least a page of them; of others as well. */
  readonly pushesPath: (ref: string) => string;
  readonly push: z.ZodType<ListedPush | null>;
  /** What a token must be allowed, for who makes one. */
  readonly scopes: string;
  readonly page: (number: number) => string;
  readonly hook: z.ZodType<ListedHook>;
  readonly hookBody: (target: HookTarget) => object;
  /** How a hook gets another secret; null where it keeps the first one, and another hook takes its place. */
  readonly changeHook: 'PATCH' | 'PUT' | null;
  readonly statusPath: (commit: string) => string;
  readonly statusBody: (status: CommitStatus) => object;
  /** Characters of a description. */
  readonly longestDescription: number;
  /** Where to ask for a commit when a status is refused without a reason; null where the reason is told. */
  readonly commitPath: ((commit: string) => string) | null;
  /** True when a refused status says that there is no such commit. */
  readonly isNoCommit: (refusal: Refusal) => boolean;
  /** True when a refused status is the one that stands there. */
  readonly isUnchanged: (refusal: Refusal, status: CommitStatus) => boolean;
  /** An account, such as the one behind a token. */
  readonly account: z.ZodType<{ readonly accountId: string; readonly login: string }>;
}
