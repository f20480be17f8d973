import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  log,
  rootCause,
  setCurrentDetails,
  setHandler,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { Scanned } from '../../activities/git-hooks/find-moved.ts';
import { CONNECTION_CHANGED, LOOK_REQUESTED } from '../../domain/git-hooks/messages.ts';
import { formatId } from '../../domain/ids.ts';
import { findMoved, readPolling, tellUnreachable } from './activity-proxies.ts';

export interface WatchRepositoryInput {
  readonly connectionId: string;
  /** Deliveries that came while the workflow continued as new. */
  readonly waiting?: readonly string[];
  /** How often it looked before it continued as new; absent at its start. */
  readonly pollMinutes?: number | null;
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
  let changed = false;
  setHandler(lookRequested, (...deliveryIds) => {
    asked.push(...deliveryIds);
  });
  setHandler(connectionChanged, () => {
    changed = true;
  });
  let pollMinutes = input.pollMinutes ?? null;
  let isDue = false;
  await condition(() => asked.length > 0 || changed || pollMinutes !== null, '1 minute');
  for (;;) {
    if (changed) {
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
      ({ pollMinutes } = await scan({ connectionId, pollMinutes }, asked.splice(0)));
    } else if (pollMinutes === null) {
      return;
    } else {
      setCurrentDetails(`looks every ${pollMinutes} minutes`);
      isDue = !(await condition(() => changed || asked.length > 0, pollMinutes * 60_000));
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof watchRepository>({ connectionId, waiting: asked, pollMinutes });
    }
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

/** @throws what is no failure of an activity, such as a cancellation */
function reasonOf(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return rootCause(error) ?? 'no reason is known';
}

function newDeliveryId(): string {
  const digits = (uuid4() + uuid4()).replaceAll('-', '');
  return formatId(
    'gitDelivery',
    Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)),
  );
}
