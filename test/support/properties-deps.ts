import type { PropertiesActivityDeps } from '../../activities/properties/deps.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createInMemoryDns } from './in-memory/dns-zones.ts';
import { createInMemoryPropertyCommands } from './in-memory/property-commands.ts';
import { createInMemoryPropertyStore } from './in-memory/property-store.ts';
import { createInMemorySearchEngine } from './in-memory/search-engine.ts';
import { createInMemoryVerifyJobStore } from './in-memory/verify-jobs.ts';

/** What the activities of Properties work with, in memory; the DNS shows records at once. */
export function createPropertiesDeps(changes: Partial<PropertiesActivityDeps> = {}) {
  const dns = createInMemoryDns({ clock: async () => 0 });
  const search = createInMemorySearchEngine({ readTexts: dns.publicTexts });
  const deps: PropertiesActivityDeps = {
    ...{ properties: createInMemoryPropertyStore(), jobs: createInMemoryVerifyJobStore() },
    ...{ map: null, engine: search.engine, asked: search.engine, zones: dns.provider, dns: dns.dns, ownerEmails: [] },
    commands: createInMemoryPropertyCommands(),
    newId,
    now: () => new Date(),
    ...changes,
  };
  return { deps, dns, search };
}
