import { newId } from '../../adapters/crypto/new-id.ts';
import { createPersonDirectory } from '../../adapters/idp/person-directory.ts';
import { createAuditTrail } from '../../adapters/mongo/audit/audit-trail.ts';
import { followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { createPropertyStore } from '../../adapters/mongo/properties/properties.ts';
import { createVerifyJobStore } from '../../adapters/mongo/properties/verify-jobs.ts';
import { createPullRunStore } from '../../adapters/mongo/search-pulls/pull-runs.ts';
import { createSearchRowStore } from '../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../adapters/mongo/search-pulls/windows.ts';
import { createSiteRegistryIndexes } from '../../adapters/mongo/site-registry-database.ts';
import { createPropertyCommands } from '../../adapters/temporal/property-commands.ts';
import { createSearchPullCommands } from '../../adapters/temporal/search-pull-commands.ts';
import { createSiteGate } from '../properties/site-callers.ts';
import { defineService } from '../service-definition.ts';
import { createSiteRegistryApp } from '../site-registry-app.ts';
import { toldToLedger } from './told-to-ledger.ts';

/**
 * The site registry. It asks the identity provider for the people whom services act for. Vendors are asked by the worker
 * alone: this process has none of their credentials.
 */
export const siteRegistry = defineService({
  name: 'site-registry',
  section: {},
  needs: ['mongo', 'temporal'],
  // All containers have one address for it.
  requestsPerMinute: 12_000,
  async compose(parts) {
    const { settings, app, temporal, log, opened } = parts;
    const { db } = parts.mongo;
    await createSiteRegistryIndexes(db);
    const onFailure = (err: unknown) => log.warn({ err }, "the database's time cannot be read");
    // Workers go by it as well: they pull what was not pulled since the moment that this process gives a pull.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const { idp: url } = settings.urls;
    const people = url === undefined ? null : createPersonDirectory({ url, internalKey: settings.providerKey });
    const { authenticate, platformOrg } = { ...app, ...settings };
    const gate = createSiteGate({ authenticate, platformOrg, people });
    const trail = createAuditTrail({ db, now });
    const deps = {
      properties: createPropertyStore({ db }),
      jobs: createVerifyJobStore({ db }),
      commands: createPropertyCommands(temporal()),
      searchRows: createSearchRowStore({ db }),
      searchWindows: createSearchWindowStore({ db }),
      pullRuns: createPullRunStore({ db }),
      pullCommands: createSearchPullCommands(temporal()),
      audit: toldToLedger(trail, parts, { now, namespace: 'site-registry' }),
      newId,
      now,
    };
    return { app: createSiteRegistryApp(deps, { ...app, authenticate: gate }) };
  },
});
