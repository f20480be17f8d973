import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { EndConsumerDeps } from '../../domain/databases/end-consumer.ts';
import type { GrantStore } from '../../domain/grants/ports.ts';
import type { NewId } from '../../domain/ids.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';

/** Everything the activities of grants work with, built by a composition root in `workers/`. */
export interface GrantsDeps {
  readonly grants: GrantStore;
  readonly services: Pick<ServiceStore, 'findConfirmed'>;
  /** Logins to databases of services, which grants give as well. */
  readonly databaseLogins: EndConsumerDeps;
  readonly clients: Pick<ClientAdministration, 'provision' | 'revokeScopes'>;
  /** Null when no audit ledger is configured. */
  readonly audit: AuditRecorder | null;
  readonly newId: NewId;
  readonly now: Clock;
}
