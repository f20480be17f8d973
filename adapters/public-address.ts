import { lookup as dnsLookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true });

/** Public by their range, but answering with a machine's own credentials or settings at one cloud or another. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** The one part of IPv6 that is given to the public internet (RFC 4291, section 2.4; IANA, "IPv6 Global Unicast"). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** An IPv4 address behind an interface id of ISATAP (RFC 5214), of either bit that says whether it is unique. */
const ISATAP_IDS: readonly number[] = [0x0000_5efe, 0x0200_5efe];

/**
 * True for unicast addresses of the public internet. IPv4 mapped into IPv6 is judged as the IPv4 address it is; what
 * leads to IPv4 by a translator or a tunnel (NAT64, 6to4, Teredo, ISATAP, compatible addresses) is not public.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || METADATA_ADDRESSES.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_UNICAST) && !isTunnelled(parsed));
}

function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  const [high = 0, low = 0] = parts.slice(4);
  return ISATAP_IDS.includes(high * 0x1_0000 + low);
}

/**
 * Whether a network interface of this machine has the address. From here, its own public address gets past the firewall
 * before it.
 */
export function isOfThisMachine(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const wanted = ipaddr.process(address).toNormalizedString();
  const own = Object.values(networkInterfaces()).flatMap((rows) => rows ?? []);
  return own.some((row) => ipaddr.process(row.address).toNormalizedString() === wanted);
}

/** Where anybody's requests come in: there this machine's own address is as any other. */
export const WEB_PORTS: readonly number[] = [80, 443];
