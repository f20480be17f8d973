import { shortened } from './shortened.ts';

export const UNTOLD_EVENTS = ['verified', 'lost', 'repended', 'failed', 'displaced'] as const;

/** Something that people are to be told of a name. */
export interface Untold {
  readonly event: (typeof UNTOLD_EVENTS)[number];
  readonly reason: string | null;
  /** When it began: with the event, it is known where it is told twice. */
  readonly at: Date;
}

/** So much of it is kept where nothing can be told; the oldest goes first. */
const MOST_UNTOLD = 8;

/** What is to be told of a holder, with one more. */
export function untoldWith(untold: readonly Untold[], one: Untold): readonly Untold[] {
  return [...untold, { ...one, reason: one.reason && shortened(one.reason) }].slice(-MOST_UNTOLD);
}
