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

/** What the attempts of one proof have in common. */
export interface ProofBegin {
  /** When the proof was asked for, in milliseconds since 1970: the server of workflows says it, and so the same to each attempt. */
  readonly begunMs: number;
  /** No other proof has it. */
  readonly proof: string;
}

/** Of an id, with which a name ends. */
const ID_CHARACTERS = 20;
/** The first ones of those say when the proof was asked for, in decimal digits: enough until the year 2286. */
const TIME_CHARACTERS = 13;
const NAMED = new RegExp(`_(\\d{${TIME_CHARACTERS}})[a-z0-9]{${ID_CHARACTERS - TIME_CHARACTERS}}$`);

/** @param attempt 1 for the first one */
export function proofScratches({ begunMs, proof }: ProofBegin, attempt: number): ProofScratches {
  const time = String(begunMs).padStart(TIME_CHARACTERS, '0');
  const names = Array.from({ length: attempt }, (_, index) => {
    const own = formatId(
      'backup',
      createHash('sha256')
        .update(`${proof} ${index + 1}`)
        .digest(),
    );
    return scratchName('verify', `${time}${own.slice(TIME_CHARACTERS - ID_CHARACTERS)}`);
  });
  return { own: names.at(-1) ?? '', earlier: names.slice(0, -1) };
}

/** Whether the proof was asked for before that time that made the database. Names that workers gave before say no time. */
function isBefore(databaseName: string, ms: number): boolean {
  const [, time] = NAMED.exec(databaseName) ?? [];
  return time === undefined || Number(time) < ms;
}

/** Those of the activity that runs. */
export function ownProofScratches(): ProofScratches {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return proofScratches({ begunMs: ownBeginMs(), proof: `${workflowExecution?.runId} ${activityId}` }, attempt);
}

/** When the activity that runs was asked for: the same for each attempt of it. */
export function ownBeginMs(): number {
  return Context.current().info.scheduledTimestampMs;
}

/**
 * Drops what proofs of before have left: their workers died, or their server was away until their last attempt. Whenever a call of
 * it that was paused goes on, it leaves proofs alone that began since, of its own night and of later ones. What cannot be dropped
 * now, the next night drops.
 * @param beforeMs when the call was asked for, in milliseconds since 1970
 */
export async function dropLeftScratches(
  deps: BackupsActivityDeps,
  beforeMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (const engine of BACKUP_ENGINES) {
    const tool = deps.tools[engine];
    if (tool === undefined) continue;
    try {
      for (const { databaseName } of await deps.inventory.list(engine, signal)) {
        if (isScratch(databaseName, 'verify') && isBefore(databaseName, beforeMs)) await tool.drop(databaseName);
      }
    } catch {
      // The proofs of its backups say what is wrong with the server.
      signal.throwIfAborted();
    }
  }
}
