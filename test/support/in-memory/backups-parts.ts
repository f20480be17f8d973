import type { BackupSettings } from '../../../activities/backups/deps.ts';
import { createBackupsActivities } from '../../../activities/backups/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { BackupEngine } from '../../../domain/backups/backup.ts';
import type { BackupCommands, BackupJob, RestoreJob } from '../../../domain/backups/messages.ts';
import type { Alarm, KnownDatabase, ListedDatabase } from '../../../domain/backups/ports.ts';
import { DEFAULT_RETENTION } from '../../../domain/backups/retention.ts';
import type { DatabaseOwner } from '../../../domain/databases/claim-database.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createInMemoryAudit } from './audit-recorder.ts';
import { createInMemoryBackupStore, createInMemoryRestoreStore } from './backup-stores.ts';
import { createInMemoryDumpTool, type InMemoryDatabase } from './dump-tool.ts';
import { createInMemoryObjectStore } from './object-store.ts';
import { createInMemoryServiceStore } from './service-store.ts';

/** What the activities of backups work with, in this process, with `shop` in production on both engines. */
export async function createBackupsParts(
  commands: Pick<BackupCommands, 'isUnderWay'> = { isUnderWay: async () => false },
) {
  const clock = { now: new Date('2026-05-04T02:00:00.000Z') };
  const now = () => clock.now;
  const services = createInMemoryServiceStore({ now });
  const { service } = await services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  const tools = { mongodb: createInMemoryDumpTool(), postgres: createInMemoryDumpTool() };
  const listed: Record<BackupEngine, ListedDatabase[]> = { mongodb: [], postgres: [] };
  /** Engines whose server does not answer. */
  const away = new Set<BackupEngine>();
  /** What services have by their records. */
  const known: KnownDatabase[] = [];
  const alarms = new Map<string, Alarm>();
  const archives = createInMemoryObjectStore({ now });
  const mirror = createInMemoryObjectStore({ now });
  const settings: { -readonly [K in keyof BackupSettings]: BackupSettings[K] } = {
    isEnabled: true,
    hourUtc: 2,
    dumpTimeoutMs: 7_200_000,
    retention: DEFAULT_RETENTION,
    excludePatterns: [],
    parallelism: 3,
    nightPage: 500,
    keptDays: 7,
  };
  const deps = {
    backups: createInMemoryBackupStore(),
    restores: createInMemoryRestoreStore(),
    inventory: {
      engines: ['mongodb', 'postgres'] as readonly BackupEngine[],
      async list(engine: BackupEngine) {
        if (away.has(engine)) throw new FairleadError('UNAVAILABLE', `${engine} does not answer`, { retryable: true });
        return listed[engine];
      },
      ownerOf: async (engine: BackupEngine, name: string) =>
        listed[engine].find(({ databaseName }) => databaseName === name)?.owner ?? null,
    },
    serviceDatabases: {
      async *known() {
        yield* known;
      },
    },
    tools,
    archives,
    mirror,
    commands,
    audit: createInMemoryAudit(),
    raiseAlarm: async (alarm: Alarm) => void (alarms.has(alarm.id) || alarms.set(alarm.id, alarm)),
    now,
    settings,
  };
  const add = (
    engine: BackupEngine,
    databaseName: string,
    content: InMemoryDatabase,
    owner: DatabaseOwner | null,
    earlierServiceIds: readonly string[] = [],
  ) => {
    tools[engine].databases.set(databaseName, content);
    listed[engine].push({ databaseName, owner: owner && { ...owner, earlierServiceIds } });
  };
  const shop = { service: 'shop', environment: 'prod', serviceId: service.id, org: service.org } as const;
  for (const engine of ['mongodb', 'postgres'] as const) {
    add(engine, 'shop_prod', { orders: ['1', '2'], people: ['a'] }, shop);
  }
  const database = { service: 'shop', environment: 'prod', engine: 'postgres', databaseName: 'shop_prod' } as const;
  const asked = { serviceId: service.id, org: service.org, requestedBy: 'usr_ann', requestId: 'req_1' } as const;
  return {
    ...{ deps, clock, add, listed, known, away, alarms, service },
    activities: createBackupsActivities(deps),
    job: (fields: Partial<BackupJob> = {}): BackupJob => ({
      ...{ ...database, ...asked, id: newId('backup'), kind: 'manual', tier: 'manual', night: null },
      startedAt: clock.now.toISOString(),
      ...fields,
    }),
    restoreJob: (backupId: string, fields: Partial<RestoreJob> = {}): RestoreJob => ({
      ...{ ...database, ...asked, id: newId('restore'), backupId, mode: 'swap', safetyBackupId: null },
      startedAt: clock.now.toISOString(),
      ...fields,
    }),
  };
}

export type BackupsParts = Awaited<ReturnType<typeof createBackupsParts>>;
