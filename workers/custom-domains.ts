import { join } from 'node:path';
import { createCustomDomainsActivities } from '../activities/custom-domains/index.ts';
import { createCallBudget } from '../adapters/call-budget.ts';
import { createCloudflareDomainZones } from '../adapters/cloudflare/domain-zones.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createEdgeHosts } from '../adapters/edge-router/host-files.ts';
import { alarmsSection } from '../adapters/env/alarms.ts';
import { customDomainsSection, modeSettings } from '../adapters/env/custom-domains.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { statusPageSection } from '../adapters/env/monitor-service.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createClientAdministration } from '../adapters/idp/client-administration.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createCustomDomainStore } from '../adapters/mongo/custom-domains/domains.ts';
import { createQuotaCounters } from '../adapters/mongo/properties/quota-counters.ts';
import { createDomainMonitors } from '../adapters/monitor/domain-monitors.ts';
import { createPowerDnsDomainZones } from '../adapters/powerdns/domain-zones.ts';
import { createDomainDns } from '../adapters/public-dns/domain-dns.ts';
import { createPublicDns } from '../adapters/public-dns/public-dns.ts';
import { createCertificates } from '../adapters/temporal/certificates.ts';
import { createKeeperWaker } from '../adapters/temporal/domain-commands.ts';
import { platformNames } from '../domain/custom-domains/platform-names.ts';
import type { DomainMonitors, DomainZones } from '../domain/custom-domains/ports.ts';
import { customDomainsSchedules } from '../workflows/custom-domains/schedules.ts';
import { composeAlarms } from './alarms.ts';
import { composeAudit } from './deploys.ts';
import { defineModule, type WorkerParts } from './module.ts';

const section = { ...deploysWorkerSection, ...alarmsSection, ...statusPageSection, ...customDomainsSection };

type Parts = WorkerParts<ReadSection<typeof section>>;

const now = () => new Date();

/** Names of services' own. DNS servers are slow: what asks them takes no slot from a deploy. */
export const customDomains = defineModule({
  name: 'custom-domains',
  section,
  schedules: customDomainsSchedules,
  queue: 'own',
  // All of them wait for somebody else, and each org has a few.
  slots: () => 32,
  async compose(parts) {
    const { env, settings, connect, client } = parts;
    const { urls, providerKey, platformOrg } = settings;
    const { db } = await connect('builder');
    await createBuilderIndexes(db);
    const targets = { platformDomain: env.PLATFORM_DOMAIN, ...modeSettings(env) };
    return createCustomDomainsActivities({
      domains: createCustomDomainStore({ db }),
      services: createServiceStore({ db, now }),
      dns: createDomainDns({ resolvers: env.DNS_RESOLVERS }),
      zones: env.ENABLE_DNS_MANAGEMENT ? await composeZones(parts) : null,
      hosts: createEdgeHosts(join(env.DATA_DIR, 'routes')),
      certificates: createCertificates(client, () => newId('request')),
      clients:
        urls.idp === undefined || providerKey === undefined
          ? null
          : createClientAdministration({ url: urls.idp, internalKey: providerKey }),
      monitors: composeMonitors(parts),
      warn: (problem, message) => parts.logger.warn(problem, message),
      audit: composeAudit(parts),
      raiseAlarm: await composeAlarms(parts),
      wakeKeeper: createKeeperWaker(client),
      noteFailure: (what, err) => parts.logger.warn({ err }, what),
      settings: {
        ...targets,
        ...platformNames({ ...targets, urls: [...Object.values(urls), env.GIT_URL, env.STATUS_URL] }),
        platformOrg,
        replaceableTargets: env.DNS_REPLACEABLE_TARGETS,
      },
    });
  },
});

/** By the key that deploys register with; null without an uptime monitor. */
function composeMonitors({ env, settings: { internalKey } }: Parts): DomainMonitors | null {
  const key = env.MONITOR_INTERNAL_KEY ?? internalKey;
  if (env.MONITOR_URL === undefined || key === undefined) return null;
  return createDomainMonitors({ url: env.MONITOR_URL, internalKey: key });
}

/** At PowerDNS where its API is set, else at Cloudflare; null without either. */
async function composeZones({ env, connect, logger }: Parts): Promise<DomainZones | null> {
  const { POWERDNS_API_URL: url, POWERDNS_API_KEY: apiKey, EDGE_DNS_API_TOKEN: apiToken, STACK_ID: installation } = env;
  if (url !== undefined && apiKey !== undefined) {
    const { nameServers: delegatedTo } = createPublicDns({ resolvers: env.DNS_RESOLVERS });
    return createPowerDnsDomainZones({
      url,
      apiKey,
      installation,
      nameServers: env.POWERDNS_NAME_SERVERS,
      delegatedTo,
    });
  }
  if (apiToken !== undefined) {
    const { db } = await connect('site-registry');
    // The account has one quota, which the site registry uses as well.
    const budget = createCallBudget({ counters: createQuotaCounters({ db, now }), now });
    return createCloudflareDomainZones({ apiToken, installation, budget, accountId: env.EDGE_DNS_ACCOUNT_ID ?? null });
  }
  logger.warn(
    'no DNS record is written: ENABLE_DNS_MANAGEMENT is set, and neither POWERDNS_API_URL nor EDGE_DNS_API_TOKEN',
  );
  return null;
}
