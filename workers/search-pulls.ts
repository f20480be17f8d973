import { createSearchPullsActivities } from '../activities/search-pulls/index.ts';
import { createCallBudget } from '../adapters/call-budget.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { searchPullsWorkerSection } from '../adapters/env/search-pulls.ts';
import { createGoogleClient } from '../adapters/google/google-client.ts';
import { createSearchAnalytics } from '../adapters/google/search-analytics.ts';
import { followDatabaseClock } from '../adapters/mongo/database-clock.ts';
import { createPropertyStore } from '../adapters/mongo/properties/properties.ts';
import { createQuotaCounters } from '../adapters/mongo/properties/quota-counters.ts';
import { createPulledProperties, createPullRunStore } from '../adapters/mongo/search-pulls/pull-runs.ts';
import { createSearchRowStore } from '../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../adapters/mongo/search-pulls/windows.ts';
import { createSiteRegistryIndexes } from '../adapters/mongo/site-registry-database.ts';
import { createSearchPullCommands } from '../adapters/temporal/search-pull-commands.ts';
import { createPullableProperties } from '../domain/search-pulls/pullable-properties.ts';
import { VENDOR_QUOTAS } from '../domain/search-pulls/quota.ts';
import { searchPullsSchedules } from '../workflows/search-pulls/schedules.ts';
import { defineModule } from './module.ts';

/** An attempt at a property lets others have its slot after this. */
const ATTEMPT_MS = 10 * 60_000;
/** For records and lists, beside the properties that are pulled. */
const OTHER_SLOTS = 4;

/** Pulls of search numbers. Each takes a slot for minutes, so they have a queue of their own. Its setting: GOOGLE_APPLICATION_CREDENTIALS. */
export const searchPulls = defineModule({
  name: 'search-pulls',
  section: searchPullsWorkerSection,
  schedules: searchPullsSchedules,
  queue: 'own',
  slots: (env) => env.SEARCH_PULL_PARALLELISM + OTHER_SLOTS,
  async compose({ env, connect, client, logger, opened }) {
    const { GOOGLE_APPLICATION_CREDENTIALS: credentialsFile } = env;
    if (credentialsFile === undefined) return null;
    const { db } = await connect('site-registry');
    await createSiteRegistryIndexes(db);
    const onFailure = (err: unknown) => logger.warn({ err }, "the database's time cannot be read");
    // Which numbers were read later is decided by one clock, whichever worker reads them.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const budget = createCallBudget({ counters: createQuotaCounters({ db, now }), now });
    return createSearchPullsActivities({
      properties: createPullableProperties(createPropertyStore({ db })),
      analytics: createSearchAnalytics({
        google: createGoogleClient({ credentialsFile, budget }),
        ...{ budget, account: 'search-analytics', limits: VENDOR_QUOTAS },
      }),
      rows: createSearchRowStore({ db }),
      windows: createSearchWindowStore({ db }),
      runs: createPullRunStore({ db }),
      pulled: createPulledProperties({ db }),
      commands: createSearchPullCommands(client),
      ...{ newId, now },
      settings: {
        types: env.SEARCH_PULL_TYPES,
        parallelism: env.SEARCH_PULL_PARALLELISM,
        attemptMs: ATTEMPT_MS,
      },
    });
  },
});
