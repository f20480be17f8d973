import { createPlatformBackupActivities } from '../../../activities/platform-backup/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import {
  makeRecoveryKey,
  openRecovery,
  recipientOf,
  sealInstallationKeys,
} from '../../../adapters/platform-backup/recovery-key.ts';
import type { Alarm } from '../../../domain/backups/ports.ts';
import { DEFAULT_RETENTION } from '../../../domain/backups/retention.ts';
import type { PlatformBackup } from '../../../domain/platform-backup/backup.ts';
import { namesOfKeys } from '../../../domain/platform-backup/manifest.ts';
import { partName } from '../../../domain/platform-backup/parts.ts';
import type { BackupPlace, PlatformBackupStore, Recovery } from '../../../domain/platform-backup/ports.ts';
import { GENERATED_SECRETS } from '../../../domain/services.ts';
import { createInMemoryAudit } from './audit-recorder.ts';
import { createInMemoryObjectStore } from './object-store.ts';

/** The keys of an installation. */
export const INSTALLATION_KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  GENERATED_SECRETS.map(({ variable }, index) => [variable, Buffer.alloc(32, index + 1).toString('base64')]),
);

/** What the activities of backups of the platform work with, in this process. */
export async function createPlatformBackupParts() {
  const clock = { now: new Date('2026-05-04T02:15:00.000Z') };
  const now = () => clock.now;
  const recoveryKey = await makeRecoveryKey(clock.now);
  const recovery: Recovery | null = openRecovery(
    await sealInstallationKeys(recipientOf(recoveryKey), INSTALLATION_KEYS),
  );
  const alarms = new Map<string, Alarm>();
  /** By the name of a part: what happens before it is read. */
  const faults = new Map<string, (signal: AbortSignal) => Promise<void>>();
  const store = createInMemoryObjectStore({ now });
  const deps = {
    records: createInMemoryPlatformBackupStore(),
    place: store as BackupPlace | null,
    recovery: recovery as Recovery | null,
    async *readPart(part: Parameters<typeof partName>[0], signal: AbortSignal): AsyncGenerator<Uint8Array> {
      await faults.get(partName(part))?.(signal);
      yield Buffer.from(`content of ${partName(part)}`);
    },
    heldKeys: namesOfKeys(INSTALLATION_KEYS, recovery.manifestKey),
    audit: createInMemoryAudit(),
    raiseAlarm: async (alarm: Alarm) => void (alarms.has(alarm.id) || alarms.set(alarm.id, alarm)),
    ...{ now, newId },
    settings: { isEnabled: true, timeoutMs: 7_200_000, retention: DEFAULT_RETENTION, version: '0.3.0' },
  };
  return { ...{ clock, deps, store, alarms, faults, recoveryKey }, activities: createPlatformBackupActivities(deps) };
}

export type PlatformBackupParts = Awaited<ReturnType<typeof createPlatformBackupParts>>;

/** Records in this process; they pass the suite of the port. */
export function createInMemoryPlatformBackupStore(): PlatformBackupStore {
  const records = new Map<string, PlatformBackup>();
  const newestFirst = () =>
    [...records.values()].sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime() || (a.id < b.id ? 1 : -1));
  return {
    async insert(backup) {
      if (records.has(backup.id)) return false;
      records.set(backup.id, backup);
      return true;
    },
    find: async (id) => records.get(id) ?? null,
    async list({ cursor, limit }) {
      const all = newestFirst();
      const begin = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
      const items = all.slice(begin, begin + limit);
      return { items, nextCursor: begin + limit < all.length ? (items.at(-1)?.id ?? null) : null };
    },
    async finish(id, end) {
      const found = records.get(id);
      if (found?.status !== 'running') return false;
      records.set(id, { ...found, ...end });
      return true;
    },
    listRunning: async (limit) =>
      newestFirst()
        .filter(({ status }) => status === 'running')
        .reverse()
        .slice(0, limit),
    async lastNightBefore(night) {
      const nights = newestFirst().flatMap((record) =>
        record.night !== null && record.night < night ? [record.night] : [],
      );
      return nights.sort().at(-1) ?? null;
    },
  };
}
