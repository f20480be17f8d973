import { checkedHostName } from '../../../domain/custom-domains/certificates/host-name.ts';
import type { EdgeHosts, EdgeHostTarget } from '../../../domain/custom-domains/certificates/ports.ts';

/** Host names that a router of this process would know. */
export function createInMemoryEdgeHosts(): EdgeHosts {
  const hosts = new Map<string, EdgeHostTarget>();
  return {
    async put(host, target) {
      hosts.set(checkedHostName(host), structuredClone(target));
    },
    async remove(host) {
      hosts.delete(checkedHostName(host));
    },
    async list() {
      return [...hosts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([host, target]) => ({ host, ...target }));
    },
  };
}
