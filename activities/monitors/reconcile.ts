import { changedMonitor, changeMonitor } from '../../domain/monitors/change-monitor.ts';
import type { ReconcileSummary } from '../../domain/monitors/messages.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { planReconcile } from '../../domain/monitors/plan-reconcile.ts';
import type { MonitorStore, ReconcileMemory, RegisteredTargets } from '../../domain/monitors/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

export interface ReconcileDeps {
  readonly monitors: Pick<MonitorStore, 'list' | 'find' | 'replace'>;
  /** Null where no service registry is set: then every monitor stays. */
  readonly targets: RegisteredTargets | null;
  readonly memory: ReconcileMemory;
  readonly outbox: Pick<Outbox, 'tell'>;
  readonly now: () => Date;
}

const PAGE = 200;

/**
 * Archives monitors whose service the registry has no more, and restores those whose service is back. A list that cannot
 * be read as a whole throws, and so archives nothing; one that is suddenly emptier is refused, and the operators are told
 * once a day. Idempotent: it makes the monitors what the list says.
 * @throws UNAVAILABLE (retryable)
 */
export async function reconcileMonitors(deps: ReconcileDeps, signal: AbortSignal): Promise<ReconcileSummary> {
  if (deps.targets === null) return { known: 0, archived: 0, returned: 0, problem: 'No service registry is set' };
  const now = deps.now();
  const targets = await deps.targets.list(signal);
  const monitors = await allMonitors(deps);
  const last = await deps.memory.read();
  const { refused, archive, restore, record } = planReconcile(monitors, targets, { last, now });
  if (refused !== null) await tellOperators(deps, refused, now);
  for (const id of archive) {
    await changeMonitor(deps.monitors, id, (monitor) => changedMonitor(monitor, { archivedAt: now }, now));
  }
  for (const id of restore) {
    await changeMonitor(deps.monitors, id, (monitor) => changedMonitor(monitor, { archivedAt: null }, now));
  }
  await deps.memory.write(record);
  return { known: monitors.length, archived: archive.length, returned: restore.length, problem: refused };
}

async function tellOperators({ outbox }: ReconcileDeps, refused: string, at: Date): Promise<void> {
  const text = `${refused}. No monitor was archived. If the services are really gone, this list is followed a day later.`;
  const day = at.toISOString().slice(0, 10);
  const subject = 'Monitors were not reconciled with the service registry';
  await outbox.tell({ id: `reconcile/${day}`, kind: 'reconcile.refused', org: null, subject, text, data: {}, at });
}

async function allMonitors({ monitors }: ReconcileDeps): Promise<readonly Monitor[]> {
  const all: Monitor[] = [];
  let cursor: string | null = null;
  do {
    const page = await monitors.list({ org: null }, { cursor, limit: PAGE });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}
