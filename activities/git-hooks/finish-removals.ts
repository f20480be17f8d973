import { FairleadError } from '../../domain/errors.ts';
import { finishRemoval, REMOVED_WITHIN_MS } from '../../domain/git-hooks/finish-removal.ts';
import type { GitHooksActivityDeps } from './deps.ts';

/** Until then whoever began a removal is at it. */
const LEFT_AFTER_MS = 2 * 60_000;
/** Of one git host, as for a person who waits. */
const WITHIN_MS = 30_000;
const MOST = 50;

/**
 * Finishes removals of connections that were begun and left, as by an API that was killed, or while a git host was away. Can be
 * repeated. After a day a removal ends without its hook.
 * @throws UNAVAILABLE (retryable)
 */
export async function finishRemovals(deps: GitHooksActivityDeps): Promise<void> {
  const at = deps.now().getTime();
  const removals = await deps.gitConnections.listRemovals(new Date(at - LEFT_AFTER_MS), MOST);
  const abort = new AbortController();
  const late = new FairleadError('UNAVAILABLE', 'The git host did not remove the hook in time', { retryable: true });
  const timer = setTimeout(() => abort.abort(late), WITHIN_MS);
  try {
    await Promise.all(
      removals.map(async (removal) => {
        await finishRemoval(deps, removal, abort.signal);
        if (removal.askedAt.getTime() < at - REMOVED_WITHIN_MS) await deps.gitConnections.endRemoval(removal.id);
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}
