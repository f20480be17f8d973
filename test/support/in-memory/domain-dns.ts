import type { AddressAnswer } from '../../../domain/custom-domains/address-look.ts';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';
import type { DomainDns } from '../../../domain/custom-domains/ports.ts';

const SERVERS = ['ns1.registrar.net', 'ns2.registrar.net'];
const RESOLVERS = ['1.1.1.1'];

/** A public DNS in this process: two servers of each zone, and a resolver that follows them at once. */
export function createInMemoryDomainDns() {
  const addresses = new Map<string, readonly AddressRecord[]>();
  const texts = new Map<string, readonly string[]>();
  const failing = new Map<string, string>();
  let looks = 0;
  const answer = (server: string, name: string): AddressAnswer => {
    const problem = failing.get(name) ?? null;
    return { server, records: problem === null ? (addresses.get(name) ?? []) : null, problem };
  };
  const dns: DomainDns = {
    async lookUpAddresses({ name }) {
      looks += 1;
      const by = (servers: readonly string[]) => servers.map((server) => answer(server, name));
      return { authoritative: by(SERVERS), resolvers: by(RESOLVERS) };
    },
    async lookUpText({ name }) {
      looks += 1;
      const by = (servers: readonly string[]) =>
        servers.map((server) => {
          const problem = failing.get(name) ?? null;
          return { server, texts: problem === null ? (texts.get(name) ?? []) : null, problem };
        });
      return { authoritative: by(SERVERS), resolvers: by(RESOLVERS) };
    },
  };
  return {
    dns,
    looks: () => looks,
    lead: (name: string, ...records: readonly AddressRecord[]) => addresses.set(name, records),
    setText: (name: string, ...all: readonly string[]) => texts.set(name, all),
    /** As with servers that answer SERVFAIL, or not at all. */
    fail: (name: string, problem: string) => failing.set(name, problem),
    heal: (name: string) => failing.delete(name),
  };
}

export type InMemoryDomainDns = ReturnType<typeof createInMemoryDomainDns>;
