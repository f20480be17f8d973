import type { ServiceName } from '../../domain/services.ts';

/** Services that have a process of their own, so that they are killed alone. */
export const APART = ['idp', 'registry', 'wallet', 'locker'] as const satisfies readonly ServiceName[];

/** Who dies, as its supervisor names it. `api`: the process of the builder and of the services that have none of their own. */
export const VICTIMS = ['worker', 'api', ...APART] as const;

export type Victim = (typeof VICTIMS)[number];

/** The moments of a step: its begin is recorded, and it does its work; its end is recorded, and Temporal has not heard of it. */
export type StepMoment = `${string} begins` | `${string} is done`;

export interface KillPoint {
  /** {@link StepMoment}, or a call such as `PUT /v1/services/*` that was carried out, and not answered. */
  readonly when: string;
  readonly victim: Victim;
  /** Neighbours differ by one, so that each part of the matrix has every step, call and victim in it. */
  readonly number: number;
}

/**
 * The matrix: at each step each process, and after each call who was called and who called. The worker dies with what the
 * step did recorded, so that it is done again; another process as the step begins, so that it is away for the step's work.
 *
 * @param steps keys of those that act
 * @param calls of them, each with the service that was called
 */
export function killPoints(
  steps: readonly string[],
  calls: readonly (readonly [call: string, service: string])[],
): readonly KillPoint[] {
  const ofSteps = steps.flatMap((step, index) =>
    VICTIMS.map((victim, place) => {
      const when: StepMoment = victim === 'worker' ? `${step} is done` : `${step} begins`;
      return { when, victim, number: index + place };
    }),
  );
  const ofCalls = calls.flatMap(([call, service], index) =>
    victimsOf(service).map((victim, place) => ({ when: call, victim, number: index + place })),
  );
  return [...ofSteps, ...ofCalls];
}

/** A system of others, which has the name of a variable, is no process of the platform. */
function victimsOf(service: string): readonly Victim[] {
  const called = APART.find((name) => name === service) ?? 'api';
  return /^[A-Z_]+$/.test(service) ? ['worker'] : ['worker', called];
}
