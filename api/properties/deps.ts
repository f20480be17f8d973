import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { PropertyCommands } from '../../domain/properties/messages.ts';
import type { PropertyStore, VerifyJobStore } from '../../domain/properties/ports.ts';

export interface PropertiesDeps {
  readonly properties: PropertyStore;
  readonly jobs: VerifyJobStore;
  readonly commands: PropertyCommands;
  /** In the registry's own database: what cannot be recorded is not done. */
  readonly audit: AuditRecorder;
  readonly newId: NewId;
  readonly now: Clock;
}
