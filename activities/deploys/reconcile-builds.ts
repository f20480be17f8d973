import type { BuildOutline } from '../../domain/deploys/build-store.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, throwFailures } from './each-on-its-own.ts';
import { note } from './open-build.ts';

type ReconcileDeps = Pick<DeploysDeps, 'builds' | 'log' | 'workflows' | 'now'>;

/** A record this young may belong to a build whose workflow is just being started. */
const GRACE_MS = 60_000;

/**
 * Ends open builds that no workflow works on any more: of a build that waits for its turn or for a decision, the coordinator
 * has to know, and one that somebody terminated does not when it runs again. Idempotent: a terminal record does not change again.
 * @returns their ids
 * @throws UNAVAILABLE naming the builds that could not be examined or ended, after all others were
 */
export async function reconcileBuilds(deps: ReconcileDeps, signal: AbortSignal): Promise<string[]> {
  const abandoned: string[] = [];
  const failures = await eachOnItsOwn(
    eachItem((page) => deps.builds.listOpen(null, page)),
    {
      nameOf: ({ id }) => id,
      work: async (build) => {
        if (await isWorkedOn(deps, build)) return;
        await abandon(deps, build);
        abandoned.push(build.id);
      },
      signal,
    },
  );
  throwFailures('Builds could not be reconciled', failures, { retryable: false });
  return abandoned;
}

async function abandon(deps: ReconcileDeps, { id }: BuildOutline): Promise<void> {
  const message = 'No workflow runs this build: it was terminated or its history was deleted. Trigger it again.';
  await note(deps, id, message, 'error');
  await deps.builds.finish(id, {
    status: 'failed',
    reason: 'abandoned',
    failure: { code: 'BUILD_ABANDONED', message, step: null },
    supersededBy: null,
    finishedAt: deps.now(),
  });
}

async function isWorkedOn({ workflows, now }: ReconcileDeps, build: BuildOutline): Promise<boolean> {
  if (now().getTime() - build.createdAt.getTime() < GRACE_MS) return true;
  if (await workflows.isRunning(buildWorkflowId(build.id))) return true;
  return await workflows.isInHand(build, build.id);
}
