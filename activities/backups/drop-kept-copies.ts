import type { CopyDropRequest } from '../../domain/backups/messages.ts';
import { type Restore, scratchName } from '../../domain/backups/restore.ts';
import { eachItem } from '../../domain/each-item.ts';
import { auditBackup } from './audit-backup.ts';
import { orgOf } from './close-abandoned.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';
import { toolOf } from './tool-of.ts';

export interface DroppedCopies {
  readonly dropped: number;
  /** What could not be dropped, one line each; the next night tries again. */
  readonly problems: readonly string[];
}

const DAY_MS = 86_400_000;

/**
 * Drops the databases that restores have kept for long enough: those whose place a restored one took. One that cannot be
 * dropped keeps no other. Idempotent: what is gone stays gone, and the record says so last.
 */
export async function dropKeptCopies(deps: BackupsActivityDeps, signal: AbortSignal): Promise<DroppedCopies> {
  const { restores, now } = deps;
  const due: Restore[] = [];
  for await (const restore of eachItem((page) => restores.listKept(page), signal)) {
    if (restore.status !== 'running' && keptUntil(deps, restore) <= now()) due.push(restore);
  }
  const problems: string[] = [];
  for (const restore of due) {
    try {
      await dropCopy(deps, restore, { actor: 'schedule', requestId: null });
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${restore.keptDatabase} of ${restore.databaseName}: ${problemOf(error).message}`);
    }
  }
  return { dropped: due.length - problems.length, problems };
}

/** Restores of before have no such time on record. */
function keptUntil({ settings }: BackupsActivityDeps, { keptUntil: until, finishedAt, startedAt }: Restore): Date {
  return until ?? new Date((finishedAt ?? startedAt).getTime() + settings.keptDays * DAY_MS);
}

/**
 * Drops the database that a restore has kept, whenever its time is. Idempotent: nothing where it is gone.
 * @throws UNAVAILABLE (retryable) while its server is away
 */
export async function dropKeptCopy(
  deps: BackupsActivityDeps,
  { restoreId, requestedBy: actor, requestId }: CopyDropRequest,
): Promise<void> {
  const restore = await deps.restores.find(restoreId);
  if (restore === null || restore.keptDatabase === null || restore.status === 'running') return;
  await dropCopy(deps, restore, { actor, requestId });
}

async function dropCopy(
  deps: BackupsActivityDeps,
  restore: Restore,
  by: { readonly actor: string; readonly requestId: string | null },
): Promise<void> {
  const { id, engine, backupId } = restore;
  // By the id of the restore, not by what its record names.
  const copy = scratchName('kept', id);
  await toolOf(deps, engine).drop(copy);
  const org = await orgOf(deps, restore);
  const data = { backupId, keptDatabase: copy };
  const type = 'backup.kept_database_dropped';
  await auditBackup(deps, { type, id, ...by, database: restore, org, data });
  await deps.restores.forgetKept(id);
}
