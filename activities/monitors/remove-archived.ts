import { eachItem } from '../../domain/each-item.ts';
import type { HeartbeatStore } from '../../domain/monitors/heartbeat.ts';
import { isArchiveOver, type Monitor } from '../../domain/monitors/monitor.ts';
import type { ConditionStore, MonitorStore, RollUpStore } from '../../domain/monitors/ports.ts';
import { isByHand } from '../../domain/monitors/registration.ts';

export interface RemoveArchivedDeps {
  readonly monitors: Pick<MonitorStore, 'list' | 'find' | 'remove'>;
  readonly conditions: Pick<ConditionStore, 'remove'>;
  readonly heartbeats: Pick<HeartbeatStore, 'remove'>;
  readonly rollUps: Pick<RollUpStore, 'remove'>;
  readonly now: () => Date;
}

/** An org that adds and removes all the time fills nothing: of those that its people added, so many are kept, the newest. */
export const MOST_ARCHIVED_BY_HAND = 500;

type Archived = Pick<Monitor, 'id' | 'org'> & { readonly archivedAt: Date };

/**
 * Deletes monitors that were archived for so long that they do not come back, with their history. The monitor goes last, so
 * that an attempt that breaks off is made again; idempotent. One that came back meanwhile stays.
 * @returns how many went
 * @throws UNAVAILABLE (retryable)
 */
export async function removeArchived(deps: RemoveArchivedDeps, signal: AbortSignal): Promise<number> {
  const now = deps.now();
  const byHand: Archived[] = [];
  let removed = 0;
  const list = (page: Parameters<MonitorStore['list']>[1]) => deps.monitors.list({ org: null, archived: true }, page);
  for await (const monitor of eachItem(list, signal)) {
    const { id, org, archivedAt } = monitor;
    if (archivedAt === null) continue;
    if (isArchiveOver(archivedAt, now)) removed += await removeMonitor(deps, id);
    else if (isByHand(monitor)) byHand.push({ id, org, archivedAt });
  }
  for (const { id } of overMost(byHand)) {
    signal.throwIfAborted();
    removed += await removeMonitor(deps, id);
  }
  return removed;
}

function overMost(archived: readonly Archived[]): readonly Archived[] {
  return [...Map.groupBy(archived, ({ org }) => org).values()].flatMap((ofOrg) =>
    ofOrg.sort((one, other) => other.archivedAt.getTime() - one.archivedAt.getTime()).slice(MOST_ARCHIVED_BY_HAND),
  );
}

async function removeMonitor(deps: RemoveArchivedDeps, id: string): Promise<number> {
  const monitor = await deps.monitors.find(id);
  if (monitor === null || monitor.archivedAt === null) return 0;
  await deps.rollUps.remove(id);
  await deps.heartbeats.remove(id);
  await deps.conditions.remove(id);
  return (await deps.monitors.remove(monitor)) ? 1 : 0;
}
