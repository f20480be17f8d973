import { type Html, html } from '../../api/http/pages/html.ts';
import type { BackupStatus } from '../../domain/backups/backup.ts';
import type { BackupView, DatabaseView, HealthReply, NightView } from '../../domain/backups/backup-schema.ts';
import type { RestorePhase, RestoreStatus } from '../../domain/backups/restore.ts';
import { type DatabaseEngine, ENGINES } from '../../domain/databases/engines.ts';
import { badge, type Tone } from '../look/badge.ts';
import type { IconName } from '../look/icons.ts';
import { pathOf } from '../platform/platform.ts';

type Look = readonly [tone: Tone, label: string, icon?: IconName];

const STATUSES: Readonly<Record<BackupStatus, Look>> = {
  running: ['busy', 'Running'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
  skipped: ['warn', 'Skipped'],
  missed: ['bad', 'Missed'],
  pruned: ['quiet', 'Deleted by retention'],
};

const STATES: Readonly<Record<DatabaseView['state'], Look>> = {
  healthy: ['good', 'Healthy'],
  unproven: ['warn', 'Not proven'],
  stale: ['bad', 'No fresh backup'],
  failing: ['bad', 'Failing'],
};

const RESTORES: Readonly<Record<RestoreStatus, Look>> = {
  running: ['busy', 'Running'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
};

export const PHASES: Readonly<Record<RestorePhase, string>> = {
  checking: 'checks the backup',
  'safety-backup': 'backs up what the database has now',
  restoring: 'reads the archive',
  verifying: 'compares the counts with those of the dump',
  swapping: 'puts the new database in the place of the old one',
  done: 'has ended',
};

export const backupBadge = (status: BackupStatus): Html => badge(...STATUSES[status]);
export const restoreBadge = (status: RestoreStatus): Html => badge(...RESTORES[status]);

/** How the backups of a database are; of one that was never backed up that. */
export function stateBadge({
  state,
  lastCompletedAt,
  lastNight,
}: Pick<DatabaseView, 'state' | 'lastCompletedAt' | 'lastNight'>): Html {
  if (state === 'stale' && lastCompletedAt === null && lastNight === null) return badge('quiet', 'No backup yet');
  return badge(...STATES[state]);
}

/** Whether somebody has to look at a database: its newest night left no backup, or it has no fresh one. */
export function isWithoutBackup({ state }: Pick<HealthReply['databases'][number], 'state'>): boolean {
  return state === 'failing' || state === 'stale';
}

/** What became of a night, in words: `Completed, restored for proof`. */
export function nightWords({
  status,
  isVerified,
  reason,
}: Pick<NightView, 'status' | 'isVerified' | 'reason'>): string {
  const [, label] = STATUSES[status];
  return [label, ...(isVerified ? ['restored for proof'] : []), ...(reason === null ? [] : [reason])].join(', ');
}

/** Whether the archive was restored for proof, and what was wrong with it. */
export function proofBadge({ status, verifiedAt, verificationError }: BackupView): Html | null {
  if (verifiedAt === null) return status === 'completed' ? badge('quiet', 'Not yet') : null;
  return verificationError === null ? badge('good', 'Verified') : badge('bad', 'Cannot be restored');
}

/** `PostgreSQL shop_prod` */
export function databaseLabel({
  engine,
  databaseName,
}: {
  readonly engine: DatabaseEngine;
  readonly databaseName: string;
}): string {
  return `${ENGINES[engine].title} ${databaseName}`;
}

/** Such as `12.4 MiB`. */
export function size(bytes: number | null): Html | string {
  if (bytes === null) return html`<span class="quiet">–</span>`;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** step;
  return `${value.toLocaleString('en-GB', { maximumFractionDigits: step === 0 || value >= 100 ? 0 : 1 })} ${units[step]}`;
}

/** Pages of a service; the API has the same paths. */
export const databasesPath = (service: string): string => pathOf('services', service, 'databases');
export const backupPath = (service: string, backupId: string): string =>
  pathOf('services', service, 'databases', 'backups', backupId);
export const restorePath = (service: string, restoreId: string): string =>
  pathOf('services', service, 'databases', 'restores', restoreId);
