import { type EscalationPolicy, stepAt, stepCount } from '../notifications/escalation.ts';

/** One step of an escalation that was told. `Time` is a Date, or ISO in views. */
export interface ToldStep<Time = Date> {
  /** Counted from 0, repeats included. One that is more than one after the one before has passed over those between. */
  readonly step: number;
  readonly at: Time;
  /** None where the org had no channel at all that is told. */
  readonly channelIds: readonly string[];
}

/** How an incident is escalated: by the policy that its org had when it began, whatever that is later. */
export interface Escalation<Time = Date> {
  readonly policy: EscalationPolicy;
  /** Oldest first; at least the one that its beginning was told to. */
  readonly told: readonly ToldStep<Time>[];
}

/** A step, and who is to be told of it. */
export type ReachedStep = Pick<ToldStep, 'step' | 'channelIds'>;

/**
 * Who is told at a step, of the channels that are told anything now. A step that has none left is passed over at once: the next one
 * that has any is told in its place, and so are all channels that no later step names, so that somebody hears of it. Where none has
 * any, every channel is told.
 */
export function reachStep(policy: EscalationPolicy, step: number, active: readonly string[]): ReachedStep {
  const count = stepCount(policy);
  const ofStep = (number: number): readonly string[] =>
    active.filter((id) => number < count && stepAt(policy, number).channelIds.includes(id));
  let reached = step;
  while (reached < count && ofStep(reached).length === 0) reached += 1;
  const own = ofStep(reached);
  if (reached === step) return { step, channelIds: own };
  const later = new Set<string>();
  for (let number = reached + 1; number < count; number += 1) for (const id of ofStep(number)) later.add(id);
  return { step: reached, channelIds: active.filter((id) => own.includes(id) || !later.has(id)) };
}

/** The escalation of an incident that begins: its first step is told. */
export function beginEscalation<Time>(policy: EscalationPolicy, active: readonly string[], at: Time): Escalation<Time> {
  return { policy, told: [{ ...reachStep(policy, 0, active), at }] };
}

/** As far as its escalation goes; times in ISO. */
interface Escalated {
  /** As of an incident. */
  readonly state: string;
  readonly escalation?: Escalation<string> | undefined;
}

export interface DueStep {
  readonly policy: EscalationPolicy;
  readonly step: number;
  /** Milliseconds since 1970; in a time of maintenance it is told later. */
  readonly at: number;
}

/** The step that comes next, and when; null where nobody is to be told more, for it is acknowledged, say. */
export function dueStep({ state, escalation }: Escalated): DueStep | null {
  const last = state === 'open' ? escalation?.told.at(-1) : undefined;
  if (escalation === undefined || last === undefined) return null;
  const { policy } = escalation;
  const step = last.step + 1;
  if (step >= stepCount(policy)) return null;
  return { policy, step, at: Date.parse(last.at) + stepAt(policy, step).waitMinutes * 60_000 };
}

/** How many steps were passed over before the one of that index among those that were told: they had no channel left. */
export function passedOver({ told }: Escalation<unknown>, index: number): number {
  return (told[index]?.step ?? 0) - (told[index - 1]?.step ?? -1) - 1;
}

/** Every channel that was told of the incident. */
export function toldChannels({ told }: Escalation<unknown>): readonly string[] {
  return [...new Set(told.flatMap(({ channelIds }) => channelIds))];
}
