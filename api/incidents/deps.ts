import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { IncidentCommands } from '../../domain/incidents/messages.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';

export interface IncidentsDeps {
  readonly incidents: Pick<IncidentStore, 'find' | 'list'>;
  readonly incidentCommands: IncidentCommands;
  readonly audit: AuditRecorder;
  readonly platformOrg: string;
  readonly newId: NewId;
  readonly now: Clock;
}
