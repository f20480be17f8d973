import {
  allHandlersFinished,
  condition,
  defineUpdate,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { SharingActivities } from '../../activities/authorized-orgs/index.ts';
import {
  CHANGE_SHARING,
  type ChangeSharing,
  concernedBy,
  type SharedWith,
  type SharingRecorded,
  WITHDRAW_REPOSITORIES,
} from '../../domain/authorized-orgs/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { createMutex } from '../mutex.ts';

const taskQueue = moduleTaskQueue('authorized-orgs');
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { recordSharing } = proxyActivities<SharingActivities>({ taskQueue, startToCloseTimeout: '30s', retry });
/** These look at every client or service of an org. */
const { takeScopes, setRepositoryRole, tellWaitingBuilds, withdrawRepositories } = proxyActivities<SharingActivities>({
  taskQueue,
  startToCloseTimeout: '10m',
  retry: { ...retry, maximumInterval: '5m' },
});

export const changeSharingUpdate = defineUpdate<SharingRecorded, [ChangeSharing]>(CHANGE_SHARING);
export const withdrawUpdate = defineUpdate<void, [string]>(WITHDRAW_REPOSITORIES);

/** An update that was lost with its workflow task is sent again by its caller, to a workflow of its own. */
const IDLE = '1 minute';

/**
 * Changes of who shares one service, one after the other; id `authorized-orgs/<service id>`. A change is answered when
 * the list is written: from then on it holds at the builder. Then the identity provider and the git host are made to
 * agree, and builds that wait for a grant are told, for as long as these may be away; the workflow ends when they do.
 */
export async function changeSharing(serviceId: string): Promise<void> {
  const exclusively = createMutex();
  const agreeing = new Map<string, Promise<void>>();
  let begun = 0;
  let failure: unknown = null;

  /** One org after the other change of its own; no org waits for another. */
  const agree = (of: SharedWith): void => {
    const { org } = of;
    const before = agreeing.get(org) ?? Promise.resolve();
    const after = before.then(async () => {
      const works = [takeScopes(of), setRepositoryRole(of)];
      if (of.takenOut === undefined && patched('tell-waiting-builds')) works.push(tellWaitingBuilds(of));
      const outcomes = await Promise.allSettled(works);
      for (const outcome of outcomes) if (outcome.status === 'rejected') failure ??= outcome.reason;
    });
    agreeing.set(org, after);
  };

  setHandler(changeSharingUpdate, (change) => {
    begun += 1;
    return exclusively(async () => {
      const recorded = await recordSharing(change);
      setCurrentDetails(`shared with ${recorded.view.authorizedOrgs.map(({ orgSlug }) => orgSlug).join(', ')}`);
      agree(concernedBy(serviceId, change, recorded));
      return recorded;
    });
  });
  setHandler(withdrawUpdate, (id) => {
    begun += 1;
    return exclusively(() => withdrawRepositories(id));
  });

  await condition(() => begun > 0, IDLE);
  for (;;) {
    await condition(allHandlersFinished);
    const waiting = [...agreeing.entries()];
    // What was refused for good ends the workflow as failed, after all others agreed.
    if (waiting.length === 0 && failure !== null) throw failure;
    if (waiting.length === 0) return;
    await Promise.all(waiting.map(([, agreed]) => agreed));
    for (const [org, agreed] of waiting) if (agreeing.get(org) === agreed) agreeing.delete(org);
  }
}
