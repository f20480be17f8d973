import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import { type Dialler, resolveHost } from '../http-fetch/guarded-connector.ts';
import { isPublic, type Lookup } from '../public-address.ts';

/** Which addresses are checked besides those of the public internet. Plain data: it goes to the prober's thread. */
export interface ProbeNetworks {
  /** Networks that the operator listed, such as `10.0.0.0/8` (MONITOR_ALLOWED_NETWORKS). */
  readonly allowed: readonly string[];
  /** Ports of the platform's own router. */
  readonly edgePorts: readonly number[];
  /** An address, or a name that leads there: where requests to the platform come in. Null: on the loopback alone. */
  readonly edgeHost: string | null;
}

/** Where a socket may go: what is returned is what is connected to, and nothing is resolved again. */
export interface ProbeGuard {
  /** @throws SOURCE_REFUSED for an address that is not checked; what kept the name from being resolved */
  addressesOf(host: string, port: number): Promise<readonly string[]>;
  /** Leads the sockets of tests elsewhere, once the guard let their addresses pass. */
  readonly dialler: Dialler | null;
}

export interface ProbeGuardOptions {
  readonly networks: ProbeNetworks;
  readonly lookup: Lookup;
  readonly dialler?: Dialler | null;
}

const MOST_JUDGED = 20_000;
/** Where requests from other machines come in, whatever port the router has behind them. */
const PUBLIC_PORTS: readonly number[] = [80, 443];
/** Ranges of addresses that a router in front of the platform may have, and no machine's own services. */
const EDGE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat'];

/** Lets pass the public internet, the platform's own router, and the networks of the operator. */
export function createProbeGuard({ networks, lookup, dialler = null }: ProbeGuardOptions): ProbeGuard {
  const allowed = networks.allowed.map((network) => ipaddr.parseCIDR(network));
  const isEdge = (address: ipaddr.IPv4 | ipaddr.IPv6, port: number): boolean =>
    address.range() === 'loopback' && networks.edgePorts.includes(port);
  const judge = (text: string, port: number): boolean => {
    if (isPublic(text)) return true;
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return isEdge(address, port) || allowed.some(([network, bits]) => isWithin(address, network, bits));
  };
  // It takes a tenth of the time of a check, and is always the same.
  const judged = new LRUCache<string, boolean>({ max: MOST_JUDGED });
  const isAllowed = (text: string, port: number): boolean => {
    const key = `${text} ${port}`;
    const known = judged.get(key) ?? judge(text, port);
    judged.set(key, known);
    return known;
  };
  const leadToEdge = createEdgeAddresses(networks, lookup);
  return {
    dialler,
    async addressesOf(host, port) {
      const addresses = await resolveHost(host, lookup);
      const others = addresses.filter((address) => !isAllowed(address, port));
      if (others.length === 0 || (await leadToEdge(others, port))) return addresses;
      const message = `${host} has an address that is neither public nor in MONITOR_ALLOWED_NETWORKS`;
      throw new FairleadError('SOURCE_REFUSED', message, { details: { hostname: host } });
    },
  };
}

/** Whether addresses are those of the platform's own router, where that is another machine: asked anew, as they may move. */
function createEdgeAddresses({ edgeHost, edgePorts }: ProbeNetworks, lookup: Lookup) {
  const formOf = (text: string): string => {
    const address = ipaddr.process(text);
    return EDGE_RANGES.includes(address.range()) ? address.toString() : '';
  };
  return async (addresses: readonly string[], port: number): Promise<boolean> => {
    if (edgeHost === null || ![...PUBLIC_PORTS, ...edgePorts].includes(port)) return false;
    // A router whose name is not found is none.
    const edge = await resolveHost(edgeHost, lookup).catch(() => []);
    const known = new Set(edge.map(formOf).filter((form) => form !== ''));
    return addresses.every((address) => known.has(formOf(address)));
  };
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
