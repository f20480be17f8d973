import type { KnownDatabases } from './missing-variables.ts';

/** Where a program ran that failed: while its image was built, or when its container started. */
export type FailedAt = 'build' | 'start';

type Remedy = (found: RegExpExecArray, known: KnownDatabases | null) => string;

/** A class of failures: how programs print it, and what their author does about it at each place. */
export interface FailureClass {
  readonly printed: RegExp;
  readonly remedies: Readonly<Partial<Record<FailedAt, Remedy>>>;
}
