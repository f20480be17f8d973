import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { RaiseAlarm } from '../../domain/backups/ports.ts';
import type { Retention } from '../../domain/backups/retention.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { KeyName } from '../../domain/platform-backup/manifest.ts';
import type { BackupPlace, PlatformBackupStore, ReadPart, Recovery } from '../../domain/platform-backup/ports.ts';

export interface PlatformBackupDeps {
  readonly records: PlatformBackupStore;
  /** Null: none is configured. */
  readonly place: BackupPlace | null;
  /** Null: nobody made a recovery key. */
  readonly recovery: Recovery | null;
  readonly readPart: ReadPart;
  /** Keys of the installation that this process has as well. */
  readonly heldKeys: readonly KeyName[];
  readonly audit: AuditRecorder | null;
  readonly raiseAlarm: RaiseAlarm;
  readonly now: Clock;
  readonly newId: NewId;
  readonly settings: {
    /** BACKUP_ENABLED: whether nights back up. */
    readonly isEnabled: boolean;
    /** Of one part, and of the whole. */
    readonly timeoutMs: number;
    readonly retention: Retention;
    /** Of the platform, as manifests name it. */
    readonly version: string;
  };
}
