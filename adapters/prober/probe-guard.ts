import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import { type Dialler, resolveHost } from '../http-fetch/guarded-connector.ts';
import { isOfThisMachine, isPublic, type Lookup, WEB_PORTS } from '../public-address.ts';
import { isNoSuchName } from './no-such-name.ts';

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
  /**
   * @throws SOURCE_REFUSED for an address that is not checked; UNAVAILABLE (retryable) where nobody can say whether it is the
   *   router's; what kept the name from being resolved
   */
  addressesOf(host: string, port: number): Promise<readonly string[]>;
  /** Leads the sockets of tests elsewhere, once the guard let their addresses pass. */
  readonly dialler: Dialler | null;
}

export interface ProbeGuardOptions {
  readonly networks: ProbeNetworks;
  readonly lookup: Lookup;
  /** Of the router's name, all addresses or an error; `lookup` when it is left out. */
  readonly edgeLookup?: Lookup;
  readonly dialler?: Dialler | null;
  /** Whether an address is this machine's own; by its network interfaces when it is left out. */
  readonly isOwn?: (address: string) => boolean;
}

const MOST_JUDGED = 20_000;
/** Interfaces get other addresses. */
const JUDGED_MS = 60_000;
/** Ranges of addresses that a router in front of the platform may have, and no machine's own services. */
const EDGE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'carrierGradeNat'];

/**
 * Lets pass the public internet, the platform's own router, and the networks of the operator. Of the addresses of this
 * machine, and of where requests to the platform come in, it lets pass the ports of the router alone: from here, others are
 * open that a firewall keeps everybody from.
 */
export function createProbeGuard(options: ProbeGuardOptions): ProbeGuard {
  const { networks, lookup, dialler = null, isOwn = isOfThisMachine } = options;
  const webPorts: ReadonlySet<number> = new Set([...WEB_PORTS, ...networks.edgePorts]);
  const allowed = networks.allowed.map((network) => ipaddr.parseCIDR(network));
  const isEdge = (address: ipaddr.IPv4 | ipaddr.IPv6, port: number): boolean =>
    address.range() === 'loopback' && networks.edgePorts.includes(port);
  const isListed = (text: string): boolean =>
    ipaddr.isValid(text) && allowed.some(([network, bits]) => isWithin(ipaddr.process(text), network, bits));
  const judge = (text: string, port: number): boolean => {
    if (isListed(text)) return true;
    if (isPublic(text)) return webPorts.has(port) || !isOwn(text);
    return ipaddr.isValid(text) && isEdge(ipaddr.process(text), port);
  };
  // It takes a tenth of the time of a check.
  const judged = new LRUCache<string, boolean>({ max: MOST_JUDGED, ttl: JUDGED_MS });
  const isAllowed = (text: string, port: number): boolean => {
    const key = `${text} ${port}`;
    const known = judged.get(key);
    if (known !== undefined) return known;
    const verdict = judge(text, port);
    judged.set(key, verdict);
    return verdict;
  };
  const edge = createEdgeAddresses(networks.edgeHost, options.edgeLookup ?? lookup);
  const isOpen = async (addresses: readonly string[], port: number): Promise<boolean> => {
    const others = addresses.filter((address) => !isAllowed(address, port));
    if (webPorts.has(port)) return others.length === 0 || (await edge.are(others));
    return (
      others.length === 0 &&
      !(await edge.haveOneOf(addresses.filter((address) => isPublic(address) && !isListed(address))))
    );
  };
  return {
    dialler,
    async addressesOf(host, port) {
      const addresses = await resolveHost(host, lookup);
      if (await isOpen(addresses, port)) return addresses;
      const message = `${host} has an address that is private or this machine's own, and not in MONITOR_ALLOWED_NETWORKS`;
      throw new FairleadError('SOURCE_REFUSED', message, { details: { hostname: host } });
    },
  };
}

/** Where requests to the platform come in: asked anew, as it may move. */
function createEdgeAddresses(edgeHost: string | null, lookup: Lookup) {
  const known = async (): Promise<readonly (ipaddr.IPv4 | ipaddr.IPv6)[]> => {
    if (edgeHost === null) return [];
    try {
      return (await resolveHost(edgeHost, lookup)).map((address) => ipaddr.process(address));
    } catch (error) {
      // A router whose name is nowhere is none.
      if (isNoSuchName(error)) return [];
      const message = `${edgeHost}, where requests to the platform come in, cannot be resolved`;
      throw new FairleadError('UNAVAILABLE', message, { retryable: true, cause: error });
    }
  };
  const formOf = (text: string): string => ipaddr.process(text).toString();
  return {
    /** Whether private addresses are those of the platform's own router, where that is another machine. */
    async are(addresses: readonly string[]): Promise<boolean> {
      const inner = (await known()).filter((address) => EDGE_RANGES.includes(address.range()));
      const forms = new Set(inner.map(String));
      return addresses.every((address) => forms.has(formOf(address)));
    },
    async haveOneOf(addresses: readonly string[]): Promise<boolean> {
      if (edgeHost === null || addresses.length === 0) return false;
      const forms = new Set((await known()).map(String));
      return addresses.some((address) => forms.has(formOf(address)));
    },
  };
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
