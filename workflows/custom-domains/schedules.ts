import { DOMAIN_WORKFLOWS } from '../../domain/custom-domains/messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

/** What of custom domains runs by the clock, UTC. */
export const customDomainsSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-domains',
    cron: '50 3 * * *',
    workflowType: DOMAIN_WORKFLOWS.reconcileDomains,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    // After a Temporal that was lost, nothing else begins it.
    atStart: true,
  },
];
