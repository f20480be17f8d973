import { createPlatformBackupActivities } from '../activities/platform-backup/index.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { alarmsSection } from '../adapters/env/alarms.ts';
import { heldKeysSection, platformBackupSection } from '../adapters/env/platform-backup.ts';
import { createPlatformBackupStore } from '../adapters/mongo/platform-backup/records.ts';
import { ownVersion } from '../adapters/own-version.ts';
import { configuredPlace } from '../adapters/platform-backup/backup-place.ts';
import { createPartsReader } from '../adapters/platform-backup/parts-reader.ts';
import { openRecovery } from '../adapters/platform-backup/recovery-key.ts';
import { namesOfKeys } from '../domain/platform-backup/manifest.ts';
import { platformBackupSchedules } from '../workflows/platform-backup/schedules.ts';
import { composeAlarms } from './alarms.ts';
import { composeAudit } from './deploys.ts';
import { defineModule } from './module.ts';

const section = { ...alarmsSection, ...platformBackupSection, ...heldKeysSection };

/** One backup at a time, and what ends and plans it. */
const SLOTS = 4;

const HELD = Object.keys(heldKeysSection) as (keyof typeof heldKeysSection)[];

/** Backups of the platform itself. Without settings each is refused, and says what to set. A dump takes hours: it takes no slot from a deploy. */
export const platformBackup = defineModule({
  name: 'platform-backup',
  section,
  schedules: platformBackupSchedules(),
  schedulesBy: ({ BACKUP_CRON_HOUR_UTC }) => platformBackupSchedules(BACKUP_CRON_HOUR_UTC),
  queue: 'own',
  slots: () => SLOTS,
  async compose(parts) {
    const { env, connect } = parts;
    const { db } = await connect('builder');
    const now = () => new Date();
    const recovery = env.PLATFORM_RECOVERY === undefined ? null : openRecovery(env.PLATFORM_RECOVERY);
    const held = HELD.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    return createPlatformBackupActivities({
      records: createPlatformBackupStore({ db, now }),
      place: configuredPlace(env),
      recovery,
      readPart: createPartsReader({
        databaseOf: async (service) => (await connect(service)).db,
        dataDir: env.DATA_DIR,
      }),
      heldKeys: recovery === null ? [] : namesOfKeys(Object.fromEntries(held), recovery.manifestKey),
      audit: composeAudit(parts),
      raiseAlarm: await composeAlarms(parts),
      ...{ now, newId },
      settings: {
        isEnabled: env.BACKUP_ENABLED,
        timeoutMs: env.BACKUP_DUMP_TIMEOUT_MS,
        retention: {
          daily: env.BACKUP_RETENTION_DAILY,
          weekly: env.BACKUP_RETENTION_WEEKLY,
          monthly: env.BACKUP_RETENTION_MONTHLY,
        },
        version: await ownVersion(),
      },
    });
  },
});
