import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Backup, ListedBackup } from '../../../domain/backups/backup.ts';
import type { Night } from '../../../domain/backups/night.ts';
import type { BackupFilter, BackupStore, RestoreStore } from '../../../domain/backups/ports.ts';
import type { Restore } from '../../../domain/backups/restore.ts';
import type { PageRequest } from '../../../domain/page.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const BY_TIME = {
  cursor: timeAndId,
  keyOf: ({ startedAt, id }: Pick<Backup, 'startedAt' | 'id'>) => [startedAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Records of backups in this process. */
export function createInMemoryBackupStore(): BackupStore {
  const backups = new Map<string, Backup>();
  /** Which attempt verifies a backup. */
  const verifying = new Map<string, string>();
  const write = (id: string, from: Backup['status'], change: Partial<Backup>): boolean => {
    const stored = backups.get(id);
    if (stored?.status !== from) return false;
    backups.set(id, keepRecord({ ...stored, ...change }));
    return true;
  };
  const insert = (backup: Backup): boolean => {
    if (backups.has(backup.id)) return false;
    backups.set(backup.id, keepRecord(backup));
    return true;
  };
  return {
    insert: async (backup) => insert(backup),
    async insertAll(given) {
      for (const backup of given) insert(backup);
    },
    find: async (id) => backups.get(id) ?? null,
    async list(filter, page) {
      const found = [...backups.values()].filter((backup) => matches(backup, filter));
      const listed: readonly ListedBackup[] = found.map(({ figures: _, ...fields }) => fields);
      return pageOf(listed, page, BY_TIME);
    },
    change: async (id, from, change) => write(id, from, change),
    async noteUpload(id, key) {
      const uploads = backups.get(id)?.uploads ?? [];
      return !uploads.includes(key) && write(id, 'running', { uploads: [...uploads, key] });
    },
    async setProgress(id, sizeBytes) {
      write(id, 'running', { sizeBytes });
    },
    async beginVerification(id, attempt, triedAt) {
      if (!write(id, 'completed', { triedAt })) return false;
      verifying.set(id, attempt);
      return true;
    },
    async setVerification(id, attempt, verification) {
      if (verifying.get(id) === attempt) write(id, 'completed', { verification });
    },
    async lastNightBefore(before) {
      const nights = [...backups.values()].flatMap(({ night, status }): Night[] =>
        night !== null && night < before && status !== 'missed' ? [night] : [],
      );
      return nights.sort().at(-1) ?? null;
    },
  };
}

function matches(backup: Backup, { statuses, since, serviceIds, ...fields }: BackupFilter): boolean {
  return (
    Object.entries(fields).every(([name, value]) => backup[name as keyof Backup] === value) &&
    (serviceIds === undefined || (backup.serviceId !== null && serviceIds.includes(backup.serviceId))) &&
    (statuses === undefined || statuses.includes(backup.status)) &&
    (since === undefined || backup.startedAt >= since)
  );
}

/** Records of restores in this process. */
export function createInMemoryRestoreStore(): RestoreStore {
  const restores = new Map<string, Restore>();
  /** Those that somebody ends. */
  const ending = new Set<string>();
  const write = (id: string, change: Partial<Restore>): boolean => {
    const stored = restores.get(id);
    if (stored?.status !== 'running') return false;
    restores.set(id, keepRecord({ ...stored, ...change }));
    return true;
  };
  const those = (isMeant: (restore: Restore) => boolean, page: PageRequest) =>
    pageOf([...restores.values()].filter(isMeant), page, BY_TIME);
  return {
    async insert(restore) {
      if (restores.has(restore.id)) return false;
      restores.set(restore.id, keepRecord(restore));
      return true;
    },
    find: async (id) => restores.get(id) ?? null,
    list: async (serviceIds, page) => those(({ serviceId }) => serviceIds.includes(serviceId), page),
    listRunning: async (page) => those(({ status }) => status === 'running', page),
    listKept: async (page) => those(({ keptDatabase }) => keptDatabase !== null, page),
    async keepUntil(id, keptUntil) {
      const stored = restores.get(id);
      if (stored === undefined || stored.status === 'running' || stored.keptDatabase === null) return false;
      restores.set(id, keepRecord({ ...stored, keptUntil }));
      return true;
    },
    async forgetKept(id) {
      const stored = restores.get(id);
      const none = { keptDatabase: null, keptUntil: null, keptBytes: null };
      if (stored !== undefined) restores.set(id, keepRecord({ ...stored, ...none }));
    },
    change: async (id, change) => !ending.has(id) && write(id, change),
    async end(id, change) {
      ending.add(id);
      return write(id, change);
    },
  };
}
