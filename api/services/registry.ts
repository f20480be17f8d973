import { createDeployRecordStore } from '../../adapters/mongo/registry/deploys.ts';
import { createEntryStore } from '../../adapters/mongo/registry/entries.ts';
import { createRegistryIndexes } from '../../adapters/mongo/registry/indexes.ts';
import { createPackageChangelogStore } from '../../adapters/mongo/registry/packages.ts';
import { createRegistryApp } from '../registry-app.ts';
import { defineService } from '../service-definition.ts';

const now = () => new Date();

/** The service registry, where the builder writes what is deployed. */
export const registry = defineService({
  name: 'registry',
  section: {},
  needs: ['mongo'],
  requestsPerMinute: 12_000,
  async compose({ mongo: { db }, app }) {
    await createRegistryIndexes(db);
    const deps = {
      entries: createEntryStore({ db }),
      deploys: createDeployRecordStore({ db }),
      packages: createPackageChangelogStore({ db }),
      now,
    };
    return { app: createRegistryApp(deps, app) };
  },
});
