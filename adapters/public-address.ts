import { lookup as dnsLookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true });

/** Public by their range, but answering with a machine's own credentials or settings at one cloud or another. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** True for unicast addresses of the public internet; IPv4 inside IPv6 is judged as the IPv4 address it is. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !METADATA_ADDRESSES.has(parsed.toString());
}
