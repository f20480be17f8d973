import type { GitHooksActivityDeps } from './deps.ts';

export interface ScanInput {
  readonly connectionId: string;
  /** Deliveries that asked for it; none where it was due. */
  readonly deliveries: readonly string[];
  /** Id of the delivery to keep for what is found unasked. */
  readonly pollId: string;
}

/** Keeps a delivery for what is found unasked. Idempotent on its id. */
export async function keepPoll(
  { gitDeliveries, now }: GitHooksActivityDeps,
  { connectionId, pollId }: ScanInput,
): Promise<string> {
  await gitDeliveries.insert({
    ...{ id: pollId, connectionId, kind: 'poll', event: 'poll', providerId: null, ref: null, claimedHead: null },
    ...{
      login: null,
      accountId: null,
      requestedBy: null,
      alreadySeen: false,
      receivedAt: now(),
      state: 'waiting',
      outcomes: [],
    },
  });
  return pollId;
}
