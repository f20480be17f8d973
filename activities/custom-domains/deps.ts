import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { EdgeHosts } from '../../domain/custom-domains/certificates/ports.ts';
import type {
  Certificates,
  CustomDomainStore,
  DomainDns,
  DomainMonitors,
  DomainZones,
} from '../../domain/custom-domains/ports.ts';
import type { DomainSettings } from '../../domain/custom-domains/settings.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';

/** Everything the activities of custom domains work with, built by a composition root in `workers/`. */
export interface CustomDomainsDeps {
  readonly domains: CustomDomainStore;
  readonly services: Pick<ServiceStore, 'findConfirmed'>;
  readonly dns: DomainDns;
  /** Null with ENABLE_DNS_MANAGEMENT off: records are shown, and people write them. */
  readonly zones: DomainZones | null;
  /** What the router knows of names that are not the platform's. */
  readonly hosts: EdgeHosts;
  readonly certificates: Certificates;
  /** Clients at the identity provider; null where none is configured. */
  readonly clients: Pick<ClientAdministration, 'find' | 'addRedirectUri' | 'removeRedirectUri'> | null;
  /** Null where no uptime monitor is configured. */
  readonly monitors: DomainMonitors | null;
  readonly warn: (problem: { readonly err: unknown; readonly domain: string }, message: string) => void;
  /** Null where no audit ledger is configured. */
  readonly audit: AuditRecorder | null;
  readonly raiseAlarm: (alarm: {
    readonly id: string;
    readonly subject: string;
    readonly text: string;
  }) => Promise<void>;
  readonly settings: DomainSettings;
}
