import { createSharingActivities } from '../activities/authorized-orgs/index.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createRepositoryAccess } from '../adapters/git-host/repository-access.ts';
import { createMemberDirectory } from '../adapters/idp/member-directory.ts';
import { createSharingHistory } from '../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createCustomDomainStore } from '../adapters/mongo/custom-domains/domains.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createGitIdentityStore } from '../adapters/mongo/git-identities/identities.ts';
import { createGrantStore } from '../adapters/mongo/grants/grants.ts';
import { createDatabaseCommands } from '../adapters/temporal/database-commands.ts';
import { createDomainCommands } from '../adapters/temporal/domain-commands.ts';
import { createGrantCommands } from '../adapters/temporal/grant-commands.ts';
import { createWorkflowDirectory } from '../adapters/temporal/workflow-directory.ts';
import type { RepositoryAccess } from '../domain/authorized-orgs/ports.ts';
import { createNamesOfService } from '../domain/custom-domains/names-of-service.ts';
import type { GitIdentityStore } from '../domain/git-identities/ports.ts';
import { sharingSchedules } from '../workflows/authorized-orgs/schedules.ts';
import { composeAudit, composeClients } from './deploys.ts';
import { defineModule, type WorkerParts } from './module.ts';

const now = () => new Date();

/** Orgs that share a service. Its setting: the identity provider. */
export const authorizedOrgs = defineModule({
  name: 'authorized-orgs',
  section: deploysWorkerSection,
  schedules: sharingSchedules,
  queue: 'own',
  slots: () => 4,
  async compose(parts) {
    const clients = composeClients(parts);
    if (clients === null) return null;
    const { db } = await parts.connect('builder');
    return createSharingActivities({
      services: createServiceStore({ db, now }),
      builds: createBuildStore({ db, now }),
      workflows: createWorkflowDirectory(parts.client),
      sharingHistory: createSharingHistory({ db }),
      clients,
      customDomains: createNamesOfService(createCustomDomainStore({ db }), createDomainCommands(parts.client)),
      databaseLogins: { records: createDatabaseRecords({ db }), commands: createDatabaseCommands(parts.client), now },
      grants: createGrantStore({ db }),
      grantCommands: createGrantCommands(parts.client),
      repositories: composeRepositories(parts, createGitIdentityStore({ db })),
      gitHost: parts.env.GIT_URL ?? null,
      audit: composeAudit(parts),
      now,
    });
  },
});

/** Null where there is no git host of the platform, or nobody says who is in an org. */
function composeRepositories(
  { env, settings: { urls, providerKey } }: WorkerParts<ReadSection<typeof deploysWorkerSection>>,
  identities: GitIdentityStore,
): RepositoryAccess | null {
  const { GIT_URL: gitUrl, GIT_TOKEN: token } = env;
  if (gitUrl === undefined || token === undefined || urls.idp === undefined || providerKey === undefined) return null;
  const members = createMemberDirectory({ url: urls.idp, internalKey: providerKey });
  return createRepositoryAccess({ gitUrl, token, identities, members, now });
}
