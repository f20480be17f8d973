import type { CallBudget } from '../../adapters/call-budget.ts';
import { createCloudflareZones } from '../../adapters/cloudflare/dns-zones.ts';
import { createGoogleClient } from '../../adapters/google/google-client.ts';
import { createGoogleSearchEngine } from '../../adapters/google/search-engine.ts';
import { createPublicDns } from '../../adapters/public-dns/public-dns.ts';
import { startCloudflare } from '../vendors/cloudflare.ts';
import { startGoogle } from '../vendors/google.ts';
import { startPowerDns } from './start-powerdns.ts';

/** Public names and addresses of the provider's servers, which are served on this machine. */
export const NAME_SERVERS = ['ada.ns-provider.com', 'bob.ns-provider.com'] as const;
const ADDRESSES = ['8.8.4.1', '8.8.4.2'] as const;

/** Google, Cloudflare and a real DNS server, behind the platform's real adapters. */
export async function startSiteVendors() {
  await using started = new AsyncDisposableStack();
  const dns = started.adopt(await startPowerDns(), ({ stop }) => stop());
  await dns.addZone('ns-provider.com', NAME_SERVERS);
  for (const [index, name] of NAME_SERVERS.entries()) {
    await dns.setRecords('ns-provider.com', { name, type: 'A', contents: [ADDRESSES[index] ?? ''] });
  }
  const readTexts = async (domain: string): Promise<readonly string[]> => {
    const found = await dns
      .resolver()
      .resolveTxt(domain)
      .catch((): string[][] => []);
    return found.map((parts) => parts.join(''));
  };
  const google = started.adopt(await startGoogle({ readTexts }), ({ stop }) => stop());
  const cloudflare = started.adopt(await startCloudflare(dns), ({ stop }) => stop());
  // Nothing waits here for the next slot: what is counted stands in the tests of the budget.
  const paused: (readonly [key: string, seconds: number])[] = [];
  const budget: CallBudget = {
    acquire: async () => undefined,
    pause: async (key, seconds) => void paused.push([key, seconds]),
  };
  const client = createGoogleClient({ credentialsFile: google.credentialsFile, budget, fetch: google.fetch });
  const stack = started.move();
  /** Where the addresses of servers of zones lead. */
  const routes = new Map<string, string>(ADDRESSES.map((address) => [address, dns.address]));
  return {
    ...{ dns, google, cloudflare, routes, readTexts, budget, client, paused },
    engine: createGoogleSearchEngine(client),
    zones: createCloudflareZones({
      apiToken: cloudflare.token,
      installation: 'default',
      budget,
      fetch: cloudflare.fetch,
    }),
    publicDns: (resolvers: readonly string[] = [dns.address]) =>
      createPublicDns({ resolvers, dial: (address) => routes.get(address) ?? address }),
    stop: () => stack.disposeAsync(),
  };
}

export type SiteVendors = Awaited<ReturnType<typeof startSiteVendors>>;
