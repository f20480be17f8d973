import { continueAsNew, defineQuery, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ConfigActivities, PageDone } from '../../activities/config/index.ts';
import {
  MAX_UNREADABLE_SHOWN,
  NO_PROGRESS,
  REENCRYPTION_PROGRESS,
  type ReencryptionProgress,
  type SecretKind,
} from '../../domain/config/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const { reencryptPage } = proxyActivities<ConfigActivities>({
  taskQueue: moduleTaskQueue('config'),
  startToCloseTimeout: '2m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Seal a page of secrets with the current key',
});

/** A sweep finds what processes with an earlier key stored during the one before. One that still finds some after two more ends it. */
const MAX_SWEEPS = 3;

const EARLIER_KINDS: readonly SecretKind[] = ['services', 'releases'];

/** Where a run goes on. */
interface Position {
  /** Id of the key that it seals with. Absent in runs of an earlier version. */
  readonly keyId?: string;
  /** What that key seals. Absent in runs of an earlier version, which went over {@link EARLIER_KINDS}. */
  readonly kinds?: readonly SecretKind[];
  readonly sweep: number;
  /** Index of the kind of record. */
  readonly kind: number;
  readonly cursor: string | null;
  /** Of all sweeps; what no key opens is counted in the current one alone. */
  readonly progress: ReencryptionProgress;
  /** Whether the current sweep sealed anything, or may have. */
  readonly changed: boolean;
}

const START: Position = { sweep: 1, kind: 0, cursor: null, progress: NO_PROGRESS, changed: false };

export const reencryptionProgress = defineQuery<ReencryptionProgress>(REENCRYPTION_PROGRESS);

/**
 * Seals every stored secret with the current key (spec 2, "Configuration variables and secrets", 2); id
 * `secret-reencryption/<key>`, so that it runs once at a time for a key. Goes over all records until a sweep finds nothing to do.
 */
export async function reencryptSecrets(from: Partial<Position> = {}): Promise<ReencryptionProgress> {
  let position: Position = { ...START, ...from };
  setHandler(reencryptionProgress, () => position.progress);
  for (;;) {
    const kind = (position.kinds ?? EARLIER_KINDS)[position.kind];
    if (kind === undefined) {
      if (!position.changed || position.sweep >= MAX_SWEEPS) return position.progress;
      position = nextSweep(position);
      continue;
    }
    position = advance(position, await reencryptPage({ kind, cursor: position.cursor, ...keyIdOf(position) }));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reencryptSecrets>(position);
  }
}

function keyIdOf({ keyId }: Position): Pick<Position, 'keyId'> {
  return keyId === undefined ? {} : { keyId };
}

/** What a run is for, which stays the same in all its sweeps. */
function purposeOf({ kinds, ...position }: Position): Pick<Position, 'keyId' | 'kinds'> {
  return { ...keyIdOf(position), ...(kinds === undefined ? {} : { kinds }) };
}

function nextSweep(position: Position): Position {
  const { unreadable, earlierKeyInUse } = NO_PROGRESS;
  const progress = { ...position.progress, unreadable, earlierKeyInUse };
  return { ...START, ...purposeOf(position), sweep: position.sweep + 1, progress };
}

function advance(position: Position, { nextCursor, done, again = false }: PageDone): Position {
  const { checked, resealed, unreadable, earlierKeyInUse } = position.progress;
  const progress = {
    checked: checked + done.checked,
    resealed: resealed + done.resealed,
    unreadable: {
      count: unreadable.count + done.unreadable.count,
      first: [...unreadable.first, ...done.unreadable.first].slice(0, MAX_UNREADABLE_SHOWN),
    },
    // The first two sweeps are expected to find some; a third only finds what was stored while the run went on.
    earlierKeyInUse: earlierKeyInUse || (position.sweep >= MAX_SWEEPS && done.resealed > 0),
  };
  const changed = position.changed || done.resealed > 0 || again;
  const next = nextCursor === null ? { kind: position.kind + 1, cursor: null } : { cursor: nextCursor };
  return { ...position, ...next, progress, changed };
}
