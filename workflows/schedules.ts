import { ANCHORING_WORKFLOWS } from '../domain/audit-ledger/anchoring-messages.ts';
import { CHAIN_WORKFLOWS } from '../domain/audit-ledger/chain-messages.ts';
import { AUDIT_LEDGER_TASK_QUEUE } from '../domain/audit-ledger/task-queue.ts';
import { DEPLOYS_TASK_QUEUE, WORKFLOW_TYPES } from '../domain/deploys/messages.ts';
import { IDENTITY_TASK_QUEUE, IDENTITY_WORKFLOWS } from '../domain/identity/messages.ts';
import type { ScheduleDefinition } from '../domain/schedule.ts';

/** The one table of every schedule. */
export const SCHEDULES: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-deploys',
    cron: '* * * * *',
    workflowType: WORKFLOW_TYPES.reconcileDeploys,
    taskQueue: DEPLOYS_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1m',
    atStart: true,
  },
  {
    id: 'prune-images',
    cron: '0 4 * * *',
    workflowType: WORKFLOW_TYPES.pruneImages,
    taskQueue: DEPLOYS_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1h',
    atStart: false,
  },
  {
    id: 'rotate-signing-keys',
    cron: '17 * * * *',
    workflowType: IDENTITY_WORKFLOWS.rotateSigningKeys,
    taskQueue: IDENTITY_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1h',
    atStart: false,
  },
  {
    id: 'write-checkpoints',
    cron: '0 * * * *',
    workflowType: CHAIN_WORKFLOWS.writeCheckpoints,
    taskQueue: AUDIT_LEDGER_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1h',
    atStart: false,
  },
  {
    id: 'anchor-night',
    cron: '10 0 * * *',
    workflowType: ANCHORING_WORKFLOWS.anchorNight,
    taskQueue: AUDIT_LEDGER_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1d',
    atStart: false,
  },
  {
    id: 'check-anchors',
    cron: '5 4 * * *',
    workflowType: ANCHORING_WORKFLOWS.checkAnchors,
    taskQueue: AUDIT_LEDGER_TASK_QUEUE,
    overlap: 'SKIP',
    catchupWindow: '1d',
    atStart: false,
  },
];
