import type { Backup, BackupProblem, ListedBackup } from '../../domain/backups/backup.ts';
import type { Night } from '../../domain/backups/night.ts';
import { backupsToVerify, compareFigures, type PlaceInProofs } from '../../domain/backups/verification.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';
import { dropLeftScratches, type ProofScratches } from './proof-scratches.ts';
import { readArchive } from './read-archive.ts';
import { toolOf } from './tool-of.ts';

/** A page of the proofs of a night. */
export interface ProofsPlan {
  readonly backupIds: readonly string[];
  /** Where the next page begins; null on the last one. */
  readonly more: PlaceInProofs | null;
  readonly timeoutMs: number;
}

/**
 * Ids of the backups that are verified in a night, a page at a time. Before the first one it drops what proofs have left that
 * began before. Idempotent: the rest reads only.
 * @param begunMs when the listing was asked for, in milliseconds since 1970 @param after where the page begins; null for the first one
 */
export async function listBackupsToVerify(
  deps: BackupsActivityDeps,
  night: Night,
  signal: AbortSignal,
  { begunMs, after = null }: { readonly begunMs: number; readonly after?: PlaceInProofs | null | undefined },
): Promise<ProofsPlan> {
  const { backups, tools, settings, now } = deps;
  // Also of proofs that somebody waits for, which are asked for at any time: those of before have ended by their own limit.
  if (after === null) await dropLeftScratches(deps, begunMs - settings.dumpTimeoutMs, signal);
  const completed: Pick<Backup, keyof Parameters<typeof backupsToVerify>[0][number]>[] = [];
  for await (const backup of eachItem((page) => backups.list({ statuses: ['completed'] }, page), signal)) {
    const { id, service, environment, engine, databaseName, status, startedAt, verification, triedAt } = backup;
    if (tools[engine] === undefined || isUnderProof(backup, now().getTime() - 2 * settings.dumpTimeoutMs)) continue;
    completed.push({ id, service, environment, engine, databaseName, status, startedAt, verification, triedAt });
  }
  const page = backupsToVerify(completed, night, { after, limit: settings.nightPage, now: now() });
  return { backupIds: page.backups.map(({ id }) => id), more: page.more, timeoutMs: settings.dumpTimeoutMs };
}

/** Whether its own workflow may be proving it: a dump and a proof have their limit each. */
function isUnderProof({ kind, verification, startedAt, triedAt }: ListedBackup, sinceMs: number): boolean {
  return kind === 'final' && verification === null && (triedAt ?? startedAt).getTime() > sinceMs;
}

/**
 * Restores a backup into a scratch database, compares the counts with those at the dump, and drops it again. What it finds is
 * noted on the record. Idempotent: each attempt has a scratch database of its own, and drops those of the attempts before; of one of
 * those that lives on unseen nothing is noted any more.
 * @returns what is wrong with the backup; null when it is restored as it was
 * @throws what kept it from finding out: the server or the bucket is away
 */
export async function verifyBackup(
  deps: BackupsActivityDeps,
  backupId: string,
  signal: AbortSignal,
  scratches: ProofScratches,
): Promise<BackupProblem | null> {
  const { backups, now } = deps;
  const backup = await backups.find(backupId);
  // Retention was faster.
  if (backup?.status !== 'completed' || !(await backups.beginVerification(backupId, scratches.own, now()))) return null;
  for (const earlier of scratches.earlier) await toolOf(deps, backup.engine).drop(earlier);
  const problem = await restoreForProof(deps, backup, { scratch: scratches.own, signal });
  await backups.setVerification(backupId, scratches.own, { at: now(), problem });
  return problem;
}

async function restoreForProof(
  deps: BackupsActivityDeps,
  backup: Backup,
  { scratch, signal }: { readonly scratch: string; readonly signal: AbortSignal },
): Promise<BackupProblem | null> {
  const tool = toolOf(deps, backup.engine);
  try {
    const archive = await readArchive(deps, backup, { signal });
    await tool.restoreInto({ from: backup.databaseName, scratch }, archive, { signal });
    return compareFigures(backup.figures ?? {}, await tool.figures(scratch, signal));
  } catch (error) {
    if (signal.aborted || !isOfArchive(error)) throw error;
    return problemOf(error);
  } finally {
    await tool.drop(scratch);
  }
}

/** Whether the error says that the archive is bad, and not that something is away. */
function isOfArchive(error: unknown): boolean {
  return (
    error instanceof FairleadError && ['NOT_RESTORABLE', 'RESTORE_FAILED', 'OBJECT_NOT_FOUND'].includes(error.code)
  );
}
