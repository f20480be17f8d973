import {
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { grantable, nextForSlot, roundOf } from '../../domain/deploys/build-slots.ts';
import {
  REQUEST_SLOT,
  SLOT_GRANTED,
  SLOT_RELEASED,
  type SlotReleased,
  type SlotRequested,
} from '../../domain/deploys/messages.ts';
import { reliable } from './activity-proxies.ts';

export interface BuildSlots {
  readonly holders: readonly SlotRequested[];
  readonly waiting: readonly SlotRequested[];
}

const IDLE_BEFORE_END = '30s';
/** While builds wait, holders are checked this often: one that was terminated cannot give its slot back. */
const HOLDER_CHECK_INTERVAL = '15s';

interface Slots {
  readonly holders: Map<string, SlotRequested>;
  waiting: SlotRequested[];
  /** The latest BUILD_CONCURRENCY a worker has told. */
  limit: number;
  /** False in runs that an earlier version began: only free slots are granted there. */
  readonly oneForEveryOrg: boolean;
}

/**
 * Keeps the number of builds that run at once at BUILD_CONCURRENCY, production first, then shared between orgs; an org
 * without a build does not wait for those of others (`grantable`). One workflow, id `build-slots`.
 * A build asks by update-with-start; a free slot is granted in the answer, a later one by `slotGranted`. Ends when no
 * build holds or wants a slot.
 */
export async function grantBuildSlots(input: BuildSlots): Promise<void> {
  const slots: Slots = {
    holders: new Map(input.holders.map((holder) => [holder.buildId, holder])),
    waiting: [...input.waiting],
    limit: [...input.holders, ...input.waiting][0]?.limit ?? 1,
    oneForEveryOrg: patched('one-slot-for-every-org'),
  };
  listen(slots);
  do {
    await grantFreeSlots(slots);
    setCurrentDetails(`${slots.holders.size} of ${slots.limit} slots taken, ${slots.waiting.length} waiting`);
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof grantBuildSlots>({ holders: [...slots.holders.values()], waiting: slots.waiting });
    }
  } while (await waitForChange(slots));
}

function listen(slots: Slots): void {
  setHandler(defineUpdate<boolean, [SlotRequested]>(REQUEST_SLOT), (request) => {
    slots.limit = request.limit;
    const { buildId } = request;
    const held = slots.holders.get(buildId);
    if (held !== undefined) {
      if (roundOf(request) > roundOf(held)) slots.holders.set(buildId, request);
      return true;
    }
    if (slots.waiting.length === 0 && next({ ...slots, waiting: [request] }) !== null) {
      slots.holders.set(buildId, request);
      return true;
    }
    const place = slots.waiting.findIndex((waiting) => waiting.buildId === buildId);
    if (place < 0) slots.waiting.push(request);
    else if (roundOf(request) > roundOf(slots.waiting[place] ?? request)) slots.waiting[place] = request;
    return false;
  });
  setHandler(defineSignal<[SlotReleased]>(SLOT_RELEASED), ({ buildId, round }) => {
    const taken = slots.holders.get(buildId) ?? slots.waiting.find((request) => request.buildId === buildId);
    const isLate = round !== undefined && taken !== undefined && roundOf(taken) > round;
    if (isLate && patched('release-by-round')) return;
    slots.holders.delete(buildId);
    slots.waiting = slots.waiting.filter((request) => request.buildId !== buildId);
  });
}

function next({ waiting, holders, limit, oneForEveryOrg }: Slots): SlotRequested | null {
  const held = [...holders.values()];
  if (oneForEveryOrg) return grantable(waiting, held, limit);
  return held.length < limit ? nextForSlot(waiting, held) : null;
}

async function grantFreeSlots(slots: Slots): Promise<void> {
  for (let granted = next(slots); granted !== null; granted = next(slots)) {
    const { buildId, workflowId } = granted;
    slots.waiting = slots.waiting.filter((request) => request.buildId !== buildId);
    slots.holders.set(buildId, granted);
    try {
      await getExternalWorkflowHandle(workflowId).signal(SLOT_GRANTED);
    } catch {
      slots.holders.delete(buildId); // the build has ended in the meantime
    }
  }
}

/** False when there has been nothing to do for a while. */
async function waitForChange(slots: Slots): Promise<boolean> {
  const { holders } = slots;
  if (slots.waiting.length > 0) {
    if (await condition(() => next(slots) !== null, HOLDER_CHECK_INTERVAL)) return true;
    for (const buildId of await reliable('Find holders that have ended').listClosedBuilds([...holders.keys()])) {
      holders.delete(buildId);
    }
    return true;
  }
  if (holders.size > 0) {
    await condition(() => slots.waiting.length > 0 || holders.size === 0);
    return true;
  }
  return await condition(() => slots.waiting.length > 0 || holders.size > 0, IDLE_BEFORE_END);
}
