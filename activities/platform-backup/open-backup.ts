import { FairleadError } from '../../domain/errors.ts';
import { ABANDONED } from '../../domain/platform-backup/backup.ts';
import { listFolders } from '../../domain/platform-backup/look.ts';
import type { PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import { runningRecord } from '../../domain/platform-backup/new-record.ts';
import { type PlatformPart, platformParts } from '../../domain/platform-backup/parts.ts';
import type { BackupPlace, Recovery } from '../../domain/platform-backup/ports.ts';
import { GENERATED_SECRETS } from '../../domain/services.ts';
import type { PlatformBackupDeps } from './deps.ts';
import { sweepLeft } from './sweep.ts';

export interface OpenedPlatformBackup {
  /** In the order in which they are read. */
  readonly parts: readonly PlatformPart[];
  readonly timeoutMs: number;
}

const MOST_LOST = 100;
/** For deleting what was left; what remains goes the next time. */
const SWEEP_MS = 60_000;

/**
 * Opens the record of a backup, and ends those of backups that no workflow makes any more: there is one at a time, and this is it. Idempotent.
 * @throws BACKUPS_NOT_CONFIGURED saying what to set
 */
export async function openBackup(deps: PlatformBackupDeps, job: PlatformBackupJob): Promise<OpenedPlatformBackup> {
  const { records, now, settings } = deps;
  await records.insert(runningRecord(job));
  for (const lost of await records.listRunning(MOST_LOST)) {
    const end = { status: 'failed', finishedAt: now(), sizeBytes: null, problem: ABANDONED } as const;
    if (lost.id !== job.id) await records.finish(lost.id, end);
  }
  const { place } = requireConfigured(deps);
  await place.ensureBucket();
  // Before the first part: where nights fail for want of space, none comes to where retention is applied. What it cannot delete fails no backup.
  await sweep(deps, place, AbortSignal.timeout(SWEEP_MS)).catch(() => undefined);
  return { parts: platformParts(), timeoutMs: settings.timeoutMs };
}

async function sweep(deps: PlatformBackupDeps, place: BackupPlace, signal: AbortSignal): Promise<void> {
  await sweepLeft(deps, { place, folders: await listFolders(place, { signal }) }, signal);
}

/**
 * What a backup needs besides the platform. @throws BACKUPS_NOT_CONFIGURED without a place, a recovery key, or all keys of the installation
 * as they are now: a backup that lacks one is worth nothing
 */
export function requireConfigured(deps: Pick<PlatformBackupDeps, 'place' | 'recovery' | 'heldKeys'>): {
  readonly place: BackupPlace;
  readonly recovery: Recovery;
} {
  const { place, recovery } = deps;
  const problem = configurationProblem(deps);
  if (place !== null && recovery !== null && problem === null) return { place, recovery };
  throw new FairleadError('BACKUPS_NOT_CONFIGURED', problem ?? 'Backups of the platform are not configured');
}

/** What keeps the platform from being backed up; null for nothing. */
export function configurationProblem({
  place,
  recovery,
  heldKeys,
}: Pick<PlatformBackupDeps, 'place' | 'recovery' | 'heldKeys'>): string | null {
  if (recovery === null) {
    return 'There is no recovery key: make one by `npm run recovery-key -- --out <file>`, and restart the platform';
  }
  if (place === null) return 'Nothing says where to: set PLATFORM_BACKUP_DIR, or BACKUP_MIRROR_URL with its keys';
  const sealed = new Map(recovery.keys.map(({ name, fingerprint }) => [name, fingerprint]));
  const missing = GENERATED_SECRETS.map(({ variable }) => variable).filter((name) => !sealed.has(name));
  const other = heldKeys.filter(({ name, fingerprint }) => sealed.get(name) !== fingerprint).map(({ name }) => name);
  const bad = [...new Set([...missing, ...other])];
  if (bad.length === 0) return null;
  return `The keys that are encrypted for the recovery key are not those of now (${bad.join(', ')}): run \`npm run recovery-key -- --key <file> --env-file <file> --write <file>\` again, or restart \`npm start\``;
}
