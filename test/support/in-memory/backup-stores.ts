import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
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
  const write = (id: string, from: Backup['status'], change: Partial<Backup>): boolean => {
    const stored = backups.get(id);
    if (stored?.status !== from) return false;
    backups.set(id, keepRecord({ ...stored, ...change }));
    return true;
  };
  return {
    async insert(backup) {
      if (backups.has(backup.id)) return false;
      backups.set(backup.id, keepRecord(backup));
      return true;
    },
    find: async (id) => backups.get(id) ?? null,
    list: async (filter, page) =>
      pageOf(
        [...backups.values()].filter((backup) => matches(backup, filter)),
        page,
        BY_TIME,
      ),
    change: async (id, from, change) => write(id, from, change),
    async noteUpload(id, key) {
      const uploads = backups.get(id)?.uploads ?? [];
      return !uploads.includes(key) && write(id, 'running', { uploads: [...uploads, key] });
    },
    async setProgress(id, sizeBytes) {
      write(id, 'running', { sizeBytes });
    },
    async setVerification(id, verification) {
      write(id, 'completed', { verification });
    },
    async lastNightBefore(before) {
      const nights = [...backups.values()].flatMap(({ night }): Night[] =>
        night !== null && night < before ? [night] : [],
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
