import { createPropertiesActivities } from '../activities/properties/index.ts';
import { createCallBudget } from '../adapters/call-budget.ts';
import { createCloudflareZones } from '../adapters/cloudflare/dns-zones.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createDomainMapSource } from '../adapters/domain-map/domain-map-source.ts';
import { propertiesWorkerSection } from '../adapters/env/properties.ts';
import { createGoogleClient } from '../adapters/google/google-client.ts';
import { createGoogleSearchEngine } from '../adapters/google/search-engine.ts';
import { followDatabaseClock } from '../adapters/mongo/database-clock.ts';
import { createPropertyStore } from '../adapters/mongo/properties/properties.ts';
import { createQuotaCounters } from '../adapters/mongo/properties/quota-counters.ts';
import { createVerifyJobStore } from '../adapters/mongo/properties/verify-jobs.ts';
import { createSiteRegistryIndexes } from '../adapters/mongo/site-registry-database.ts';
import { createPublicDns } from '../adapters/public-dns/public-dns.ts';
import { createPropertyCommands } from '../adapters/temporal/property-commands.ts';
import { propertiesSchedules, SYNC_SCHEDULE, VERIFICATION_SCHEDULES } from '../workflows/properties/schedules.ts';
import { defineModule } from './module.ts';

/**
 * Domains and their verification. Vendors are slow: what asks them takes no slot from a deploy. Its settings: DOMAIN_MAP or
 * GOOGLE_APPLICATION_CREDENTIALS.
 */
export const properties = defineModule({
  name: 'properties',
  section: propertiesWorkerSection,
  schedules: propertiesSchedules,
  schedulesBy: (env) => [
    ...(env.DOMAIN_MAP === undefined ? [] : [SYNC_SCHEDULE]),
    ...(env.GOOGLE_APPLICATION_CREDENTIALS === undefined ? [] : VERIFICATION_SCHEDULES),
  ],
  queue: 'own',
  slots: () => 16,
  async compose({ env, connect, client, logger, opened }) {
    const { GOOGLE_APPLICATION_CREDENTIALS: credentialsFile, CLOUDFLARE_API_TOKEN: apiToken, DOMAIN_MAP } = env;
    if (DOMAIN_MAP === undefined && credentialsFile === undefined) return null;
    const { db } = await connect('site-registry');
    await createSiteRegistryIndexes(db);
    const onFailure = (err: unknown) => logger.warn({ err }, "the database's time cannot be read");
    // Calls are counted by one clock: a worker whose own is ahead would count in slots that others have still before them.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const budget = createCallBudget({ counters: createQuotaCounters({ db, now }), now });
    const google = credentialsFile === undefined ? null : createGoogleClient({ credentialsFile, budget });
    return createPropertiesActivities({
      properties: createPropertyStore({ db }),
      jobs: createVerifyJobStore({ db }),
      map:
        DOMAIN_MAP === undefined
          ? null
          : createDomainMapSource({ location: DOMAIN_MAP, token: env.DOMAIN_MAP_TOKEN ?? null }),
      engine: google === null ? null : createGoogleSearchEngine(google),
      asked: google === null ? null : createGoogleSearchEngine(google, 'people'),
      zones: apiToken === undefined ? null : createCloudflareZones({ apiToken, installation: env.STACK_ID, budget }),
      dns: createPublicDns({ resolvers: env.DNS_RESOLVERS }),
      commands: createPropertyCommands(client),
      ownerEmails: env.WEBMASTER_OWNER_EMAILS,
      newId,
      now,
    });
  },
});
