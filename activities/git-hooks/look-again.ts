import { outcome } from '../../domain/git-hooks/delivery.ts';
import type { GitHooksActivityDeps } from './deps.ts';

/** Longer than a look tries to reach a git host: whatever waits longer is in no look. */
const LEFT_AFTER_MS = 20 * 60_000;
const LEFT_WITHIN_MS = 24 * 3_600_000;
const MOST = 500;

/**
 * Has deliveries looked at that were kept and then left, as by an API that was killed before it could ask for the look. Can be
 * repeated: a look deploys a head once.
 * @throws UNAVAILABLE (retryable)
 */
export async function lookAgain({ gitDeliveries, gitHookCommands, now }: GitHooksActivityDeps): Promise<void> {
  const at = now().getTime();
  const between = { from: new Date(at - LEFT_WITHIN_MS), to: new Date(at - LEFT_AFTER_MS) };
  for (const { id, connectionId, kind, ref } of await gitDeliveries.listWaiting(between, MOST)) {
    if (kind === 'ping') await gitDeliveries.decide([id], [outcome('ping')]);
    else if (kind === 'other') await gitDeliveries.decide([id], [outcome('not_a_push')]);
    else if (ref === null) await gitHookCommands.lookAtAll(connectionId, id);
    else await gitHookCommands.look({ connectionId, ref }, id);
  }
}
