import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { IncidentCommands } from '../../domain/incidents/messages.ts';
import type { IncidentStore } from '../../domain/incidents/ports.ts';
import type { OrgLimit } from '../http/org-limit.ts';

export interface IncidentsDeps {
  readonly incidents: Pick<IncidentStore, 'find' | 'list'>;
  readonly incidentCommands: IncidentCommands;
  /** Of what people do about outages: each change is told to the org's channels. */
  readonly changeLimit: OrgLimit;
  readonly audit: AuditRecorder;
  readonly platformOrg: string;
  readonly newId: NewId;
  readonly now: Clock;
}
