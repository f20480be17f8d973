/** How urgent an outage is: each of them may have a policy of its own. */
export const OUTAGE_SEVERITIES = ['critical', 'warning'] as const;
export type OutageSeverity = (typeof OUTAGE_SEVERITIES)[number];

export interface EscalationStep {
  /** Since the step before was told; 0 of the first one, which is told at once. */
  readonly waitMinutes: number;
  /** At least one, of the same org. Those that are removed later, or stopped, are passed over. */
  readonly channelIds: readonly string[];
}

/** Whom an org has told of an outage, one step after the other, for as long as nobody acknowledges it. */
export interface EscalationPolicy {
  /** 1 to {@link MOST_STEPS}. */
  readonly steps: readonly EscalationStep[];
  /** How often all steps are told once more, and how long after the last one; null: they are told once. */
  readonly repeat: { readonly times: number; readonly waitMinutes: number } | null;
}

/** The policies of an org; null: every channel is told at once, and none later. */
export type EscalationPolicies = Readonly<Record<OutageSeverity, EscalationPolicy | null>>;

export const NO_POLICIES: EscalationPolicies = { critical: null, warning: null };

export const MOST_STEPS = 5;
export const MOST_REPEATS = 5;
/** A day. */
export const MOST_WAIT_MINUTES = 1_440;

/** Steps in all, repeats included. They are counted from 0. */
export function stepCount({ steps, repeat }: EscalationPolicy): number {
  return steps.length * (1 + (repeat?.times ?? 0));
}

/** The step of a number below {@link stepCount}, with what is waited before it. */
export function stepAt({ steps, repeat }: EscalationPolicy, number: number): EscalationStep {
  const step = steps[number % steps.length] ?? { waitMinutes: 0, channelIds: [] };
  const isRepeat = number >= steps.length && number % steps.length === 0;
  return isRepeat ? { ...step, waitMinutes: repeat?.waitMinutes ?? 0 } : step;
}
