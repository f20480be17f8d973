import { createDomainDns } from '../../adapters/public-dns/domain-dns.ts';
import { createPublicDns } from '../../adapters/public-dns/public-dns.ts';
import { startPowerDns, type TestPowerDns } from './start-powerdns.ts';

/** Public names and addresses of the provider's servers, which are served on this machine. */
export const NAME_SERVERS = ['ada.ns-provider.com', 'bob.ns-provider.com'] as const;
const ADDRESSES = ['8.8.4.1', '8.8.4.2'] as const;

/** A real DNS server that stands for the public DNS, and the platform's real looks at it. @param given one that serves already */
export async function startDomainDns(given?: TestPowerDns) {
  const dns = given ?? (await startPowerDns());
  await dns.addZone('ns-provider.com', NAME_SERVERS);
  for (const [index, name] of NAME_SERVERS.entries()) {
    await dns.setRecords('ns-provider.com', { name, type: 'A', contents: [ADDRESSES[index] ?? ''] });
  }
  const routes = new Map<string, string>(ADDRESSES.map((address) => [address, dns.address]));
  const dial = (address: string): string => routes.get(address) ?? address;
  const options = { resolvers: [dns.address], dial };
  return {
    ...{ dns, routes },
    looks: createDomainDns(options),
    publicDns: createPublicDns(options),
    /** Texts, mail servers and authorities of a name, by real packets, in an order of their own. */
    async foreign(name: string): Promise<readonly unknown[]> {
      const resolver = dns.resolver();
      const none = (): never[] => [];
      const [texts, mail, authorities] = await Promise.all([
        resolver.resolveTxt(name).catch(none),
        resolver.resolveMx(name).catch(none),
        resolver.resolveCaa(name).catch(none),
      ]);
      return [...texts.map((parts) => parts.join('')).sort(), ...mail, ...authorities];
    },
    stop: () => dns.stop(),
  };
}

export type TestDomainDns = Awaited<ReturnType<typeof startDomainDns>>;
