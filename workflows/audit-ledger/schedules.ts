import { ANCHORING_WORKFLOWS } from '../../domain/audit-ledger/anchoring-messages.ts';
import { CHAIN_WORKFLOWS } from '../../domain/audit-ledger/chain-messages.ts';
import type { ScheduleDefinition } from '../../domain/schedule.ts';

export const auditLedgerSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'write-checkpoints',
    cron: '0 * * * *',
    workflowType: CHAIN_WORKFLOWS.writeCheckpoints,
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '55m',
    atStart: false,
  },
  {
    id: 'anchor-night',
    cron: '10 0 * * *',
    workflowType: ANCHORING_WORKFLOWS.anchorNight,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
  {
    id: 'check-anchors',
    cron: '5 4 * * *',
    workflowType: ANCHORING_WORKFLOWS.checkAnchors,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
];
