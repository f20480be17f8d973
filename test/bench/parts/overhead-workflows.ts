import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { textOf } from './text-of.ts';

export * from '../../../workflows/index.ts';

/** One activity that a deploy calls; bytes of JSON. */
export interface BareCall {
  readonly kind: 'local' | 'remote';
  readonly inputBytes: number;
  readonly resultBytes: number;
}

interface Activities {
  nothing(input: string, resultBytes: number): Promise<string>;
}

const local = proxyLocalActivities<Activities>({ startToCloseTimeout: '10s' });
const remote = proxyActivities<Activities>({ startToCloseTimeout: '10s', heartbeatTimeout: '10s' });

/**
 * The baseline: one workflow that calls as many activities, one after the other, with inputs and results as large, and
 * does nothing else.
 */
export async function callNothing(calls: readonly BareCall[]): Promise<void> {
  for (const { kind, inputBytes, resultBytes } of calls) {
    await (kind === 'local' ? local : remote).nothing(textOf(inputBytes), resultBytes);
  }
}
