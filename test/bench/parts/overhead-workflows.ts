import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

export * from '../../../workflows/index.ts';

/** How many activities of each kind a deploy calls, all of its workflows together. */
export interface BareCalls {
  readonly local: number;
  readonly remote: number;
}

const local = proxyLocalActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '10s' });
const remote = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '10s', heartbeatTimeout: '10s' });

/** The baseline: one workflow that calls as many activities, one after the other, and does nothing else. */
export async function callNothing({ local: locals, remote: remotes }: BareCalls): Promise<void> {
  for (let call = 0; call < locals; call += 1) await local.nothing();
  for (let call = 0; call < remotes; call += 1) await remote.nothing();
}
