import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  rootCause,
  setCurrentDetails,
  setHandler,
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

const lookRequested = defineSignal<[string]>(LOOK_REQUESTED);
const connectionChanged = defineSignal(CONNECTION_CHANGED);

/**
 * Looks at all branches and tags of a repository that rules match; id `git-watch/<connection>`: when asked, and every few
 * minutes where no hook can arrive. Ends when nobody asks and nothing is due.
 */
export async function watchRepository(input: WatchRepositoryInput): Promise<void> {
  const { connectionId, waiting = [] } = input;
  const asked = [...waiting];
  let changed = false;
  setHandler(lookRequested, (deliveryId) => {
    asked.push(deliveryId);
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
      ({ pollMinutes } = await readPolling(connectionId));
      // At once: what is there by now is known, and what is pushed from now on deploys.
      isDue = pollMinutes !== null;
    } else if (asked.length > 0 || isDue) {
      isDue = false;
      ({ pollMinutes } = await scan(connectionId, asked.splice(0)));
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

async function scan(connectionId: string, deliveries: readonly string[]): Promise<Scanned> {
  const input = { connectionId, deliveries, pollId: newDeliveryId() };
  try {
    return await findMoved(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return await tellUnreachable({ ...input, message: rootCause(error) ?? 'no reason is known' });
  }
}

function newDeliveryId(): string {
  const digits = (uuid4() + uuid4()).replaceAll('-', '');
  return formatId(
    'gitDelivery',
    Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)),
  );
}
