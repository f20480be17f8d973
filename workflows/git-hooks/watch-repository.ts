import {
  condition,
  continueAsNew,
  defineSignal,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Scanned } from '../../activities/git-hooks/find-moved.ts';
import { CONNECTION_CHANGED, LOOK_REQUESTED, type MovedRef } from '../../domain/git-hooks/messages.ts';
import { formatId } from '../../domain/ids.ts';
import { findMoved, readPolling, tellUnreachable } from './activity-proxies.ts';
import { lookAtMoved } from './look-at-moved.ts';
import { MOST_SIGNALS } from './most-signals.ts';
import { reasonOf, tellOldest } from './tell-oldest.ts';

export interface WatchRepositoryInput {
  readonly connectionId: string;
  /** Deliveries that came while the workflow continued as new. */
  readonly waiting?: readonly string[];
  /** How often it looked before it continued as new; absent at its start. */
  readonly pollMinutes?: number | null;
  /** What was left to look at when it continued as new. */
  readonly looks?: readonly MovedRef[];
}

const lookRequested = defineSignal<string[]>(LOOK_REQUESTED);
const connectionChanged = defineSignal(CONNECTION_CHANGED);

/**
 * Looks at all branches and tags of a repository that rules match; id `git-watch/<connection>`: when asked, and every few
 * minutes where no hook can arrive. Ends when nobody asks and nothing is due.
 */
export async function watchRepository(input: WatchRepositoryInput): Promise<void> {
  const { connectionId, waiting = [] } = input;
  const asked = [...waiting];
  let [changed, signals] = [false, 0];
  setHandler(lookRequested, (...deliveryIds) => {
    signals += 1;
    asked.push(...deliveryIds);
  });
  setHandler(connectionChanged, () => {
    signals += 1;
    changed = true;
  });
  const isFull = () => workflowInfo().continueAsNewSuggested || (signals >= MOST_SIGNALS && patched('bounded-signals'));
  let pollMinutes = input.pollMinutes ?? null;
  let looks = input.looks ?? [];
  let isDue = false;
  await condition(() => asked.length > 0 || looks.length > 0 || changed || pollMinutes !== null, '1 minute');
  for (;;) {
    if (looks.length > 0) {
      looks = await lookAtMoved(connectionId, looks, isFull);
    } else if (changed) {
      changed = false;
      const read = await orNothing(() => readPolling(connectionId));
      if (read === null) {
        changed = true;
        await sleep('1 minute');
        continue;
      }
      ({ pollMinutes } = read);
      // At once: what is there by now is known, and what is pushed from now on deploys.
      isDue = pollMinutes !== null;
    } else if (asked.length > 0 || isDue) {
      isDue = false;
      ({ pollMinutes, looks = [] } = await scan({ connectionId, pollMinutes }, asked.splice(0)));
    } else if (pollMinutes === null) {
      return;
    } else {
      setCurrentDetails(`looks every ${pollMinutes} minutes`);
      isDue = !(await condition(() => changed || asked.length > 0, pollMinutes * 60_000));
    }
    if (!isFull()) continue;
    await tellOldest(asked, null);
    await continueAsNew<typeof watchRepository>({ connectionId, waiting: asked, pollMinutes, looks });
  }
}

/** What cannot be told for a day, such as while no worker runs, ends no polling. */
async function scan(
  { connectionId, pollMinutes }: { readonly connectionId: string; readonly pollMinutes: number | null },
  deliveries: readonly string[],
): Promise<Scanned> {
  const input = { connectionId, deliveries, pollId: newDeliveryId() };
  try {
    return await findMoved(input);
  } catch (error) {
    const message = reasonOf(error);
    return (await orNothing(() => tellUnreachable({ ...input, message }))) ?? { pollMinutes };
  }
}

async function orNothing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    log.warn(`The watcher goes on without an answer: ${reasonOf(error)}`);
    return null;
  }
}

function newDeliveryId(): string {
  const digits = (uuid4() + uuid4()).replaceAll('-', '');
  return formatId(
    'gitDelivery',
    Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)),
  );
}
