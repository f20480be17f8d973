import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { DatabaseEngine } from '../../domain/databases/engines.ts';
import type { DatabaseRecords, DatabaseServer, FinalBackup } from '../../domain/databases/ports.ts';

export interface DatabasesDeps {
  readonly records: DatabaseRecords;
  readonly servers: Readonly<Partial<Record<DatabaseEngine, DatabaseServer>>>;
  /** Null where this installation takes no backups: then a kept database is dropped without one. */
  readonly finalBackup: FinalBackup | null;
  /** Null where there is no audit ledger. */
  readonly audit: AuditRecorder | null;
  /** Tells operators. @throws UNAVAILABLE (retryable) */
  readonly raiseAlarm: (alarm: {
    readonly id: string;
    readonly subject: string;
    readonly text: string;
  }) => Promise<void>;
}
