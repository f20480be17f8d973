import { MONITOR_WORKFLOWS } from '../../domain/monitors/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** What of the monitors runs by the clock, UTC. */
export const monitorsSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'start-shards',
    cron: '* * * * *',
    workflowType: MONITOR_WORKFLOWS.startShards,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: true,
  },
  {
    id: 'roll-up-monitors',
    cron: '*/5 * * * *',
    workflowType: MONITOR_WORKFLOWS.rollUpMonitors,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: false,
  },
  {
    id: 'reconcile-monitors',
    cron: '25 * * * *',
    workflowType: MONITOR_WORKFLOWS.reconcileMonitors,
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '30m',
    atStart: false,
  },
];
