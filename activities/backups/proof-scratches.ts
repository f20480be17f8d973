import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { BACKUP_ENGINES } from '../../domain/backups/backup.ts';
import { isScratch, scratchName } from '../../domain/backups/restore.ts';
import { formatId } from '../../domain/ids.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** The scratch databases of the attempts of one proof: an attempt that lives on unseen has another one than the next. */
export interface ProofScratches {
  readonly own: string;
  /** Of the attempts before. */
  readonly earlier: readonly string[];
}

/** @param proof what its attempts have in common @param attempt 1 for the first one */
export function proofScratches(proof: string, attempt: number): ProofScratches {
  const names = Array.from({ length: attempt }, (_, index) => {
    const bytes = createHash('sha256')
      .update(`${proof} ${index + 1}`)
      .digest();
    return scratchName('verify', formatId('backup', bytes));
  });
  return { own: names.at(-1) ?? '', earlier: names.slice(0, -1) };
}

/** Those of the activity that runs. */
export function ownProofScratches(): ProofScratches {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return proofScratches(`${workflowExecution?.runId} ${activityId}`, attempt);
}

/**
 * Drops what proofs of before have left: their workers died, or their server was away until their last attempt. Called while no proof
 * runs. What cannot be dropped now, the next night drops.
 */
export async function dropLeftScratches(deps: BackupsActivityDeps, signal: AbortSignal): Promise<void> {
  for (const engine of BACKUP_ENGINES) {
    const tool = deps.tools[engine];
    if (tool === undefined) continue;
    try {
      for (const { databaseName } of await deps.inventory.list(engine, signal)) {
        if (isScratch(databaseName, 'verify')) await tool.drop(databaseName);
      }
    } catch {
      // The proofs of its backups say what is wrong with the server.
      signal.throwIfAborted();
    }
  }
}
