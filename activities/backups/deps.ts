import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { BackupEngine } from '../../domain/backups/backup.ts';
import type { BackupCommands } from '../../domain/backups/messages.ts';
import type {
  BackupStore,
  DatabaseInventory,
  DumpTool,
  RaiseAlarm,
  RestoreStore,
  ServiceDatabases,
} from '../../domain/backups/ports.ts';
import type { Retention } from '../../domain/backups/retention.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ObjectStore } from '../../domain/objects/ports.ts';

/** Everything the activities of backups work with, built by a composition root in `workers/`. */
export interface BackupsActivityDeps {
  readonly backups: BackupStore;
  readonly restores: RestoreStore;
  readonly inventory: DatabaseInventory;
  readonly serviceDatabases: Pick<ServiceDatabases, 'known'>;
  /** By engine; an engine without administration has none. */
  readonly tools: Readonly<Partial<Record<BackupEngine, DumpTool>>>;
  readonly archives: ObjectStore;
  /** The off-site bucket; null where there is none. */
  readonly mirror: ObjectStore | null;
  readonly commands: Pick<BackupCommands, 'isUnderWay'>;
  /** Null where there is no audit ledger. */
  readonly audit: AuditRecorder | null;
  readonly raiseAlarm: RaiseAlarm;
  readonly now: Clock;
  readonly settings: BackupSettings;
}

export interface BackupSettings {
  /** BACKUP_ENABLED: whether the nights are backed up. */
  readonly isEnabled: boolean;
  /** BACKUP_CRON_HOUR_UTC */
  readonly hourUtc: number;
  /** BACKUP_DUMP_TIMEOUT_MS, of a dump and of a restore. */
  readonly dumpTimeoutMs: number;
  readonly retention: Retention;
  /** BACKUP_EXCLUDE_PATTERNS */
  readonly excludePatterns: readonly string[];
  /** How many databases are dumped at once in a night. */
  readonly parallelism: number;
  /** How many databases of a night a workflow carries at once, of 350 bytes each. */
  readonly nightPage: number;
  /** DATABASE_GRACE_DAYS: how long the database is kept whose place a restored one took. */
  readonly keptDays: number;
}
