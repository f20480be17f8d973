import { createGrantsActivities } from '../activities/grants/index.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createGrantStore } from '../adapters/mongo/grants/grants.ts';
import { createDatabaseCommands } from '../adapters/temporal/database-commands.ts';
import { composeAudit, composeClients } from './deploys.ts';
import { defineModule } from './module.ts';

const now = () => new Date();

/** Scopes across orgs. Its setting: the identity provider. */
export const grants = defineModule({
  name: 'grants',
  section: deploysWorkerSection,
  schedules: [],
  queue: 'own',
  slots: () => 4,
  async compose(parts) {
    const clients = composeClients(parts);
    if (clients === null) return null;
    const { db } = await parts.connect('builder');
    return createGrantsActivities({
      grants: createGrantStore({ db }),
      services: createServiceStore({ db, now }),
      clients,
      databaseLogins: { records: createDatabaseRecords({ db }), commands: createDatabaseCommands(parts.client), now },
      audit: composeAudit(parts),
      newId,
      now,
    });
  },
});
