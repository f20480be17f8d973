import type { AddressAnswer } from '../../../domain/custom-domains/address-look.ts';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';
import type { DomainDns } from '../../../domain/custom-domains/ports.ts';

const SERVERS = ['ns1.registrar.net', 'ns2.registrar.net'];
const RESOLVERS = ['1.1.1.1'];

/** A public DNS in this process: two servers of each zone, and a resolver that follows them at once. */
export function createInMemoryDomainDns() {
  const addresses = new Map<string, readonly AddressRecord[]>();
  const texts = new Map<string, readonly string[]>();
  const failing = new Map<string, { readonly problem: string; readonly servers: readonly string[] }>();
  let looks = 0;
  const problemOf = (server: string, name: string): string | null => {
    const failure = failing.get(name);
    return failure?.servers.includes(server) ? failure.problem : null;
  };
  const answer = (server: string, name: string): AddressAnswer => {
    const problem = problemOf(server, name);
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
          const problem = problemOf(server, name);
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
    /** As with servers that answer SERVFAIL, or not at all; all of them, or all but the first one. */
    fail: (name: string, problem: string, { but = 0 } = {}) =>
      failing.set(name, { problem, servers: [...SERVERS, ...RESOLVERS].slice(but) }),
    heal: (name: string) => failing.delete(name),
  };
}

export type InMemoryDomainDns = ReturnType<typeof createInMemoryDomainDns>;
