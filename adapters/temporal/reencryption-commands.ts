import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import {
  CONFIG_WORKFLOWS,
  NO_PROGRESS,
  REENCRYPTION_PROGRESS,
  type ReencryptionCommands,
  type ReencryptionProgress,
  type ReencryptionRun,
  reencryptionWorkflowId,
  SECRET_KINDS,
  type SecretKind,
} from '../../domain/config/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { withinReach } from './within-reach.ts';

const WHAT = 'The re-encryption of secrets';

/**
 * The API's way to the workflow that seals every secret with the current key.
 * @param kinds what that key seals
 */
export function createReencryptionCommands(
  client: Client,
  kinds: readonly SecretKind[] = SECRET_KINDS,
): ReencryptionCommands {
  return {
    start: (keyId) =>
      withinReach(client, WHAT, async () => {
        await client.workflow.start(CONFIG_WORKFLOWS.reencryptSecrets, {
          workflowId: reencryptionWorkflowId(keyId),
          workflowIdConflictPolicy: 'USE_EXISTING',
          taskQueue: TASK_QUEUE,
          args: [{ keyId, kinds }],
          staticSummary: 'seal every stored secret with the current key',
        });
      }),
    latest: (keyId) =>
      withinReach(client, WHAT, () => latest(client.workflow.getHandle(reencryptionWorkflowId(keyId)))),
  };
}

async function latest(handle: WorkflowHandle): Promise<ReencryptionRun | null> {
  try {
    const { status, raw } = await handle.describe();
    if (status.name === 'COMPLETED') return { status: 'completed', progress: await handle.result(), problem: null };
    if (status.name !== 'RUNNING') return { status: 'failed', progress: NO_PROGRESS, problem: null };
    const problem = raw.pendingActivities?.[0]?.lastFailure?.message ?? null;
    const progress = await handle.query<ReencryptionProgress>(REENCRYPTION_PROGRESS);
    return { status: 'running', progress, problem };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
