import { type Backup, type BackupTier, groupKey, isVerified } from './backup.ts';

/** How many completed backups of a database are kept in each tier (BACKUP_RETENTION_DAILY, _WEEKLY, _MONTHLY). */
export type Retention = Readonly<Record<Exclude<BackupTier, 'manual'>, number>>;

/** Spec 2, "Limits", "Retention". */
export const DEFAULT_RETENTION: Retention = { daily: 7, weekly: 4, monthly: 3 };

type Counted = Pick<
  Backup,
  | 'id'
  | 'service'
  | 'environment'
  | 'engine'
  | 'databaseName'
  | 'kind'
  | 'tier'
  | 'status'
  | 'startedAt'
  | 'verification'
  | 'triedAt'
>;

/**
 * Which backups retention deletes: of each database and tier the completed ones behind the newest so many.
 *
 * It never deletes manual backups, nor the newest one that is verified: until a newer one is known to restore, that one is
 * the only proof. Of final backups that could not be restored, or whose restore came to no end, one a day for as long as
 * their database is kept for it, the newest one stays. Backups that are not completed have no archive and count for nothing.
 */
export function expiredBackups<T extends Counted>(backups: readonly T[], retention: Retention): readonly T[] {
  const groups = Map.groupBy(
    backups.filter(({ status }) => status === 'completed'),
    groupKey,
  );
  return [...groups.values()].flatMap((group) => expiredOfDatabase(group.sort(newestFirst), retention));
}

function expiredOfDatabase<T extends Counted>(group: readonly T[], retention: Retention): readonly T[] {
  const proven = group.find(isVerified);
  const tiers = Map.groupBy(group, ({ tier }) => tier);
  const expired = [...tiers].flatMap(([tier, members]) =>
    tier === 'manual' ? [] : members.slice(retention[tier]).filter((backup) => backup !== proven),
  );
  return [...expired, ...group.filter(isFailedFinal).slice(1)];
}

function isFailedFinal({ kind, verification, triedAt }: Counted): boolean {
  if (kind !== 'final') return false;
  return verification === null ? triedAt !== null : verification.problem !== null;
}

function newestFirst(a: Counted, b: Counted): number {
  return b.startedAt.getTime() - a.startedAt.getTime() || (a.id < b.id ? 1 : -1);
}
