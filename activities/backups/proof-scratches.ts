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

/** Of an id, with which a name ends. */
const ID_CHARACTERS = 20;
/** The first ones of those: all proofs of a run have them in common. */
const RUN_CHARACTERS = 8;

/** @param run of the proofs of a night @param proof what its attempts have in common @param attempt 1 for the first one */
export function proofScratches(run: string, proof: string, attempt: number): ProofScratches {
  const names = Array.from({ length: attempt }, (_, index) => {
    const own = hashOf(`${proof} ${index + 1}`).subarray(RUN_CHARACTERS);
    return scratchOf(Buffer.concat([hashOf(run).subarray(0, RUN_CHARACTERS), own]));
  });
  return { own: names.at(-1) ?? '', earlier: names.slice(0, -1) };
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function scratchOf(bytes: Uint8Array): string {
  return scratchName('verify', formatId('backup', bytes));
}

/** Whether a proof of that run made the database. */
function isOfRun(databaseName: string, run: string): boolean {
  return databaseName.startsWith(scratchOf(hashOf(run)).slice(0, RUN_CHARACTERS - ID_CHARACTERS));
}

/** Those of the activity that runs. */
export function ownProofScratches(): ProofScratches {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return proofScratches(ownProofsRun(), `${workflowExecution?.runId} ${activityId}`, attempt);
}

/** The run of proofs of the activity that runs: a schedule gives each a workflow id of its own, which stays as it continues as new. */
export function ownProofsRun(): string {
  return Context.current().info.workflowExecution?.workflowId ?? '';
}

/**
 * Drops what proofs of before have left: their workers died, or their server was away until their last attempt. It leaves those of
 * its own run alone: a call that was paused may go on beside the proofs. What cannot be dropped now, the next night drops.
 */
export async function dropLeftScratches(deps: BackupsActivityDeps, run: string, signal: AbortSignal): Promise<void> {
  for (const engine of BACKUP_ENGINES) {
    const tool = deps.tools[engine];
    if (tool === undefined) continue;
    try {
      for (const { databaseName } of await deps.inventory.list(engine, signal)) {
        if (isScratch(databaseName, 'verify') && !isOfRun(databaseName, run)) await tool.drop(databaseName);
      }
    } catch {
      // The proofs of its backups say what is wrong with the server.
      signal.throwIfAborted();
    }
  }
}
