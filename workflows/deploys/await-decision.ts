import { condition } from '@temporalio/workflow';
import type { BuildFailure } from '../../domain/deploys/build.ts';
import type { PausedBuild } from '../../domain/deploys/build-wait.ts';
import { readDecision } from './step-wait.ts';

/** A decision is told by a signal, as is an org that is authorized; what no signal tells, or one that was lost, is seen this often. */
const READ_INTERVAL_MS = 60 * 60_000;
/** After records that could not be read, also once the time is up. */
const READ_AGAIN_MS = 60_000;

interface Waiting {
  /** Counts the signals that told of a decision. */
  readonly told: () => number;
  /** True once nobody waits for this decision any more. */
  readonly isOver: () => boolean;
}

/**
 * Waits until somebody decided what a build waits for.
 * @returns the failure that ends the build: a refusal, or the deadline once the records could be read; null when it is over for another reason
 */
export async function awaitDecision(
  { request, plan: [step], facts, since, until, ...paused }: PausedBuild,
  { told, isOver }: Waiting,
): Promise<'granted' | BuildFailure | null> {
  let { failure } = paused;
  const wait = step?.run?.wait;
  // A build pauses at such a step only.
  if (step === undefined || wait === undefined) return failure;
  for (;;) {
    // Before the records are read: what is told from then on may not be in them.
    const known = told();
    const decision = await readDecision({ request, facts, since, until, step }, wait);
    if (isOver()) return null;
    if (decision?.state === 'granted') return 'granted';
    if (decision?.state === 'refused') return decision.failure;
    failure = decision?.failure ?? failure;
    const leftMs = Date.parse(until) - Date.now();
    // Records that cannot be read may hold a decision that came in time.
    if (leftMs <= 0 && decision !== null)
      return { ...failure, message: `${failure.message}\nNobody decided in the time until ${until}.` };
    const pauseMs = decision === null ? READ_AGAIN_MS : Math.min(leftMs, READ_INTERVAL_MS);
    await condition(() => isOver() || told() !== known, pauseMs);
    if (isOver()) return null;
  }
}
