import type { Clock } from '../../domain/clock.ts';
import { eachItem } from '../../domain/each-item.ts';
import { type ChecksTally, createChecksTally } from '../../domain/monitors/checks-on-time.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { ConditionStore, MonitorStore } from '../../domain/monitors/ports.ts';

export interface PingDeadManDeps {
  readonly monitors: Pick<MonitorStore, 'list'>;
  readonly conditions: Pick<ConditionStore, 'find'>;
  /** Slug of the org that runs the installation. */
  readonly platformOrg: string;
  /** The database's. */
  readonly now: Clock;
  /** Null where no address is set. @throws UNAVAILABLE, SOURCE_REFUSED */
  readonly ping: ((signal: AbortSignal) => Promise<void>) | null;
  readonly warn: (problem: object, message: string) => void;
}

const BATCH = 200;

/**
 * Tells whoever watches the uptime monitor that its checks are made at their times: of every shard, whichever worker has it.
 * What is watched from outside hears nothing while they are not, nor while the database or Temporal is away.
 * Idempotent: a ping more says the same.
 * @throws UNAVAILABLE, SOURCE_REFUSED where the address does not take it
 */
export async function pingDeadMan(deps: PingDeadManDeps, signal: AbortSignal): Promise<'unset' | 'late' | 'pinged'> {
  if (deps.ping === null) return 'unset';
  const late = (await tallyOf(deps, signal)).late(deps.platformOrg);
  if (late.length > 0) {
    deps.warn({ late }, 'checks are late: MONITOR_DEAD_MAN_URL is not called');
    return 'late';
  }
  await deps.ping(signal);
  return 'pinged';
}

async function tallyOf(
  { monitors, conditions, now }: PingDeadManDeps,
  signal: AbortSignal,
): Promise<Pick<ChecksTally, 'late'>> {
  const tally = createChecksTally();
  let batch: Monitor[] = [];
  const take = async (): Promise<void> => {
    const found = await conditions.find(batch.map(({ id }) => id));
    const at = now();
    for (const monitor of batch) tally.add({ monitor, condition: found.get(monitor.id) ?? null }, at);
    batch = [];
  };
  for await (const monitor of eachItem((page) => monitors.list({ org: null, archived: false }, page), signal)) {
    batch.push(monitor);
    if (batch.length === BATCH) await take();
  }
  await take();
  return tally;
}
