import { createSharingActivities } from '../activities/authorized-orgs/index.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { createSharingHistory } from '../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createGrantStore } from '../adapters/mongo/grants/grants.ts';
import { createGrantCommands } from '../adapters/temporal/grant-commands.ts';
import { composeAudit, composeClients } from './deploys.ts';
import { defineModule } from './module.ts';

const now = () => new Date();

/** Orgs that share a service. Its setting: the identity provider. */
export const authorizedOrgs = defineModule({
  name: 'authorized-orgs',
  section: deploysWorkerSection,
  schedules: [],
  queue: 'own',
  slots: () => 4,
  async compose(parts) {
    const clients = composeClients(parts);
    if (clients === null) return null;
    const { db } = await parts.connect('builder');
    return createSharingActivities({
      services: createServiceStore({ db, now }),
      sharingHistory: createSharingHistory({ db }),
      clients,
      grants: createGrantStore({ db }),
      grantCommands: createGrantCommands(parts.client),
      // No git host is reached yet: roles on repositories are kept, and given by nobody.
      repositories: null,
      gitHost: parts.env.GIT_URL ?? null,
      audit: composeAudit(parts),
      now,
    });
  },
});
