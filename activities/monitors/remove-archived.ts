import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { HeartbeatStore } from '../../domain/monitors/heartbeat.ts';
import { isArchiveOver, type Monitor } from '../../domain/monitors/monitor.ts';
import type { BurnStore, ConditionStore, MonitorStore, RollUpStore } from '../../domain/monitors/ports.ts';
import { isBeingRemoved, isByHand, removedKey } from '../../domain/monitors/registration.ts';

export interface RemoveArchivedDeps {
  readonly monitors: Pick<MonitorStore, 'list' | 'replace' | 'remove'>;
  readonly conditions: Pick<ConditionStore, 'remove'>;
  readonly heartbeats: Pick<HeartbeatStore, 'remove'>;
  readonly rollUps: Pick<RollUpStore, 'remove'>;
  readonly burns: Pick<BurnStore, 'remove'>;
  readonly now: () => Date;
}

/** An org that adds and removes all the time fills nothing: of those that its people added, so many are kept, the newest. */
export const MOST_ARCHIVED_BY_HAND = 500;

type Archived = Monitor & { readonly archivedAt: Date };

/**
 * Deletes monitors that were archived for so long that they do not come back, with their history. One that came back since it was
 * read stays, with all of its history: its key is taken first, by its revision, so that nothing brings it back from then on. The
 * monitor goes last, so that an attempt that breaks off is made again; idempotent.
 * @returns how many went
 * @throws UNAVAILABLE (retryable)
 */
export async function removeArchived(deps: RemoveArchivedDeps, signal: AbortSignal): Promise<number> {
  const now = deps.now();
  const byHand: Archived[] = [];
  let removed = 0;
  const list = (page: Parameters<MonitorStore['list']>[1]) => deps.monitors.list({ org: null, archived: true }, page);
  for await (const monitor of eachItem(list, signal)) {
    const { archivedAt } = monitor;
    if (archivedAt === null) continue;
    if (isBeingRemoved(monitor) || isArchiveOver(archivedAt, now)) removed += await removeMonitor(deps, monitor);
    else if (isByHand(monitor)) byHand.push({ ...monitor, archivedAt });
  }
  for (const monitor of overMost(byHand)) {
    signal.throwIfAborted();
    removed += await removeMonitor(deps, monitor);
  }
  return removed;
}

function overMost(archived: readonly Archived[]): readonly Archived[] {
  return [...Map.groupBy(archived, ({ org }) => org).values()].flatMap((ofOrg) =>
    ofOrg.sort((one, other) => other.archivedAt.getTime() - one.archivedAt.getTime()).slice(MOST_ARCHIVED_BY_HAND),
  );
}

async function removeMonitor(deps: RemoveArchivedDeps, monitor: Monitor): Promise<number> {
  const taken = isBeingRemoved(monitor) ? monitor : await take(deps, monitor);
  if (taken === null) return 0;
  const { id } = taken;
  await deps.rollUps.remove(id);
  await deps.heartbeats.remove(id);
  await deps.conditions.remove(id);
  await deps.burns.remove(id);
  return (await deps.monitors.remove(taken)) ? 1 : 0;
}

/** Null where it was changed since it was read: the next run looks at it again. */
async function take({ monitors, now }: RemoveArchivedDeps, monitor: Monitor): Promise<Monitor | null> {
  const taken = { ...monitor, key: removedKey(monitor.id), updatedAt: now(), revision: monitor.revision + 1 };
  try {
    await monitors.replace(taken);
    return taken;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CONFLICT') return null;
    throw error;
  }
}
