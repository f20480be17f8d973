import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import type { NewId } from '../../domain/ids.ts';
import type { CheckSecret } from '../../domain/monitors/check-secret.ts';
import type { HeartbeatStore } from '../../domain/monitors/heartbeat.ts';
import type { MaintenanceWindow } from '../../domain/monitors/maintenance.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type {
  BurnStore,
  CheckSecretStore,
  ConditionStore,
  MonitorHistory,
  MonitorStore,
} from '../../domain/monitors/ports.ts';
import type { RecurringMaintenance } from '../../domain/monitors/recurring-maintenance.ts';
import type { MonitorSources } from '../../domain/monitors/source-of-monitor.ts';
import type { OrgLimit } from '../http/org-limit.ts';

export interface MonitorsDeps extends MonitorSources {
  readonly monitors: MonitorStore;
  readonly conditions: Pick<ConditionStore, 'find'>;
  readonly history: MonitorHistory;
  readonly burns: Pick<BurnStore, 'find'>;
  readonly heartbeats: HeartbeatStore;
  readonly checkSecrets: CheckSecretStore;
  /** Seals what the checks of its org alone may send, and to its hosts alone. */
  readonly sealForChecks: (org: string, secret: Pick<CheckSecret, 'name' | 'hosts'>, value: string) => SealedSecret;
  /** In the monitor's own database: what cannot be recorded is not done. */
  readonly audit: AuditRecorder;
  /** Counts a monitor that somebody adds to an org. @throws RATE_LIMITED */
  readonly addLimit: OrgLimit;
  /** A new token of a heartbeat, 32 random bytes in base64url. */
  readonly newHeartbeatToken: () => string;
  /** Whether a host name is one that the platform gives to services. */
  readonly isPlatformHost: (host: string) => boolean;
  /** Public address of the monitor, by which jobs are given their address. */
  readonly publicUrl: string;
  /** Slug of the org that runs the installation. */
  readonly platformOrg: string;
  /** Tells those who read it on a status page; nobody is told of what the page does not show. @throws UNAVAILABLE (retryable) */
  readonly announceMaintenance: (
    monitor: Monitor,
    added: Pick<MaintenanceWindow, 'from' | 'to'> | RecurringMaintenance,
    at: Date,
  ) => Promise<void>;
  readonly newId: NewId;
  readonly now: Clock;
}
