import { ANCHORING_WORKFLOWS } from '../domain/audit-ledger/anchoring-messages.ts';
import { CHAIN_WORKFLOWS } from '../domain/audit-ledger/chain-messages.ts';
import { WORKFLOW_TYPES } from '../domain/deploys/messages.ts';
import { IDENTITY_WORKFLOWS } from '../domain/identity/messages.ts';
import type { ScheduleDefinition } from '../domain/schedule.ts';

/** The one table of every schedule. */
export const SCHEDULES: readonly ScheduleDefinition[] = [
  {
    id: 'reconcile-deploys',
    cron: '* * * * *',
    workflowType: WORKFLOW_TYPES.reconcileDeploys,
    module: 'deploys',
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: true,
  },
  {
    id: 'prune-images',
    cron: '0 4 * * *',
    workflowType: WORKFLOW_TYPES.pruneImages,
    module: 'deploys',
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '30m',
    atStart: false,
  },
  {
    id: 'rotate-signing-keys',
    cron: '17 * * * *',
    workflowType: IDENTITY_WORKFLOWS.rotateSigningKeys,
    module: 'identity',
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '30m',
    atStart: false,
  },
  {
    id: 'write-checkpoints',
    cron: '0 * * * *',
    workflowType: CHAIN_WORKFLOWS.writeCheckpoints,
    module: 'audit-ledger',
    overlap: 'SKIP',
    catchupWindow: '1h',
    runTimeout: '55m',
    atStart: false,
  },
  {
    id: 'anchor-night',
    cron: '10 0 * * *',
    workflowType: ANCHORING_WORKFLOWS.anchorNight,
    module: 'audit-ledger',
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
  {
    id: 'check-anchors',
    cron: '5 4 * * *',
    workflowType: ANCHORING_WORKFLOWS.checkAnchors,
    module: 'audit-ledger',
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
];
