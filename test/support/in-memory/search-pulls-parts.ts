import { z } from 'zod';
import type { SearchPullsActivityDeps } from '../../../activities/search-pulls/deps.ts';
import { createSearchPullsActivities } from '../../../activities/search-pulls/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import type { SearchType } from '../../../domain/search-pulls/dimensions.ts';
import { pacificDay } from '../../../domain/search-pulls/pacific-day.ts';
import type { PullableProperty, PullCommands } from '../../../domain/search-pulls/ports.ts';
import type { SiteTraffic } from '../../vendors/google/search-traffic.ts';
import { byText, pageOf } from './page-of.ts';
import { createInMemorySearchAnalytics } from './search-analytics.ts';
import {
  createInMemoryPulledProperties,
  createInMemoryPullRuns,
  createInMemorySearchRows,
  createInMemorySearchWindows,
} from './search-pull-stores.ts';

const BY_DOMAIN = {
  cursor: z.tuple([z.string()]),
  keyOf: ({ domain }: PullableProperty) => [domain] as [string],
  compare: byText,
};

/** Where no workflow runs. */
const NO_COMMANDS = {
  holder: async () => undefined,
  pullAll: () => Promise.reject(new Error('no workflow runs here')),
};

/** The activities of pulls on parts in memory, with a search engine in memory. */
export function createSearchPullsParts(commands: Pick<PullCommands, 'holder' | 'pullAll'> = NO_COMMANDS) {
  const clock = { now: new Date('2026-06-17T18:00:00Z') };
  const properties = new Map<string, PullableProperty>();
  const analytics = createInMemorySearchAnalytics(pacificDay(clock.now));
  const settings = { types: ['web'] as SearchType[], parallelism: 3, attemptMs: 600_000 };
  const deps = {
    properties: {
      list: async (page) => {
        const { items, nextCursor } = pageOf(properties.values(), page, BY_DOMAIN);
        return { items: items.map(({ domain }) => domain), nextCursor };
      },
      find: async (domain) => properties.get(domain) ?? null,
    },
    analytics,
    rows: createInMemorySearchRows(),
    windows: createInMemorySearchWindows(),
    runs: createInMemoryPullRuns(),
    pulled: createInMemoryPulledProperties(),
    commands: commands as SearchPullsActivityDeps['commands'],
    newId,
    // Each look at the clock is later than the last one.
    now: () => {
      clock.now = new Date(clock.now.getTime() + 1);
      return clock.now;
    },
    settings,
  } satisfies SearchPullsActivityDeps;
  return {
    ...{ deps, clock, properties, settings, activities: createSearchPullsActivities(deps) },
    /** Adds a verified property with traffic. */
    add(domain: string, traffic: Partial<SiteTraffic> = {}): PullableProperty {
      const property = { domain, siteUrl: `sc-domain:${domain}` };
      properties.set(domain, property);
      const seed = [...domain].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
      analytics.sites.set(property.siteUrl, { seed, rows: {}, since: '2026-04-20', ...traffic });
      return property;
    },
    /** Moves to a later moment, and the search engine with it. */
    goTo(moment: Date): void {
      clock.now = moment;
      analytics.today = pacificDay(moment);
    },
  };
}

export type SearchPullsParts = ReturnType<typeof createSearchPullsParts>;
