import { eachItem } from '../../domain/each-item.ts';
import { changedMonitor, changeMonitor } from '../../domain/monitors/change-monitor.ts';
import type { ReconcileOutcome } from '../../domain/monitors/messages.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import {
  planDomains,
  planReconcile,
  type ReconciledList,
  type ReconcilePlan,
} from '../../domain/monitors/plan-reconcile.ts';
import type { MonitorStore, ReconcileMemory } from '../../domain/monitors/ports.ts';
import type { MonitorSources } from '../../domain/monitors/source-of-monitor.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';

/** Without a service registry every monitor stays; without a builder those of custom domains stay as long as their service. */
export interface ReconcileDeps extends MonitorSources {
  readonly monitors: Pick<MonitorStore, 'list' | 'find' | 'replace'>;
  readonly memory: ReconcileMemory;
  readonly outbox: Pick<Outbox, 'tell'>;
  readonly now: () => Date;
}

/**
 * Archives monitors whose service the registry has no more, and those of custom domains that lead to their service no more;
 * restores those whose source is back. A list that cannot be read as a whole throws, and so archives nothing; one that is
 * suddenly emptier is refused, and the operators are told once a day. Idempotent: it makes the monitors what the lists say.
 * @throws UNAVAILABLE (retryable)
 */
export async function reconcileMonitors(deps: ReconcileDeps, signal: AbortSignal): Promise<ReconcileOutcome> {
  const { targets, domains, memory } = deps;
  if (targets === null) return { known: 0, archived: 0, returned: 0, problem: 'No service registry is set' };
  const now = deps.now();
  const services = await targets.list(signal);
  const monitors = await allMonitors(deps, signal);
  const plan = planReconcile(monitors, services, { last: await memory.read('services'), now });
  await follow(deps, 'services', plan, now);
  const plans = [plan];
  // What is not known of domains holds nothing of the services up.
  if (domains !== null) {
    const lists = { services, domains: await domains.list(signal) };
    const ofDomains = planDomains(monitors, lists, { last: await memory.read('domains'), now });
    await follow(deps, 'domains', ofDomains, now);
    plans.push(ofDomains);
  }
  const sum = (of: (plan: ReconcilePlan) => readonly string[]) =>
    plans.reduce((total, each) => total + of(each).length, 0);
  return {
    known: monitors.length,
    archived: sum(({ archive }) => archive),
    returned: sum(({ restore }) => restore),
    problem: plans.flatMap(({ refused }) => refused ?? []).join('; ') || null,
  };
}

async function follow(deps: ReconcileDeps, list: ReconciledList, plan: ReconcilePlan, now: Date): Promise<void> {
  if (plan.refused !== null) await tellOperators(deps, list, plan.refused, now);
  const set = (ids: readonly string[], archivedAt: Date | null) => setArchived(deps, ids, { archivedAt, now });
  await set(plan.archive, now);
  await set(plan.restore, null);
  await deps.memory.write(list, plan.record);
}

async function setArchived(
  { monitors }: ReconcileDeps,
  ids: readonly string[],
  { archivedAt, now }: { readonly archivedAt: Date | null; readonly now: Date },
): Promise<void> {
  for (const id of ids) {
    await changeMonitor(monitors, id, (monitor) => changedMonitor(monitor, { archivedAt }, now));
  }
}

const TITLES: Readonly<Record<ReconciledList, { readonly source: string; readonly what: string }>> = {
  services: { source: 'the service registry', what: 'services' },
  domains: { source: 'the custom domains', what: 'domains' },
};

async function tellOperators(
  { outbox }: ReconcileDeps,
  list: ReconciledList,
  refused: string,
  at: Date,
): Promise<void> {
  const { source, what } = TITLES[list];
  const text = `${refused}. No monitor was archived. If the ${what} are really gone, this list is followed a day later.`;
  const id = `reconcile/${list}/${at.toISOString().slice(0, 10)}`;
  const subject = `Monitors were not reconciled with ${source}`;
  await outbox.tell({ id, kind: 'reconcile.refused', org: null, subject, text, data: {}, at });
}

async function allMonitors({ monitors }: ReconcileDeps, signal: AbortSignal): Promise<readonly Monitor[]> {
  const all: Monitor[] = [];
  for await (const monitor of eachItem((page) => monitors.list({ org: null }, page), signal)) all.push(monitor);
  return all;
}
