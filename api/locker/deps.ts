import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ReencryptionCommands } from '../../domain/config/messages.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { NewId } from '../../domain/ids.ts';
import type { LockerStore } from '../../domain/locker/ports.ts';
import type { OrgDirectory } from '../../domain/org-directory.ts';

export interface LockerDeps {
  readonly items: LockerStore;
  readonly cipher: SecretCipher;
  /** In the locker's own database: what cannot be recorded is not done. */
  readonly audit: AuditRecorder;
  /** Null where no identity provider is: then any org counts as one. */
  readonly orgs: OrgDirectory | null;
  readonly newId: NewId;
  readonly now: Clock;
  /** Of the values, to the first of LOCKER_ENCRYPTION_KEY. */
  readonly reencryption: ReencryptionCommands;
  /** Clients that may ask for values. */
  readonly resolvers: readonly string[];
}
