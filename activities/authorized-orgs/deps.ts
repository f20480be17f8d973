import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { RepositoryAccess, SharingHistory } from '../../domain/authorized-orgs/ports.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NamesOfService } from '../../domain/custom-domains/names-of-service.ts';
import type { EndConsumerDeps } from '../../domain/databases/end-consumer.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { WorkflowDirectory } from '../../domain/deploys/messages.ts';
import type { GrantCommands, GrantStore } from '../../domain/grants/ports.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';

/** Everything the activities of authorized orgs work with, built by a composition root in `workers/`. */
export interface SharingDeps {
  readonly services: Pick<ServiceStore, 'findConfirmed' | 'list' | 'setSharing'>;
  readonly sharingHistory: SharingHistory;
  /** Logins to databases of services, which orgs that share one have without a grant. */
  readonly databaseLogins: EndConsumerDeps;
  /** Names of their own that orgs which share a service added to it. */
  readonly customDomains: Pick<NamesOfService, 'releaseOf'>;
  readonly clients: Pick<ClientAdministration, 'list' | 'revokeScopes' | 'removeAdditions'>;
  readonly grants: Pick<GrantStore, 'findFor'>;
  readonly grantCommands: Pick<GrantCommands, 'apply'>;
  readonly builds: Pick<BuildStore, 'list'>;
  readonly workflows: Pick<WorkflowDirectory, 'tellDecided'>;
  /** Null where no git host of the platform is configured. */
  readonly repositories: RepositoryAccess | null;
  /** Address of the git host (GIT_URL); null where there is none. */
  readonly gitHost: string | null;
  /** Null when no audit ledger is configured. */
  readonly audit: AuditRecorder | null;
  readonly now: Clock;
}
