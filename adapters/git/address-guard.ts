import { lookup as dnsLookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { FairleadError } from '../../domain/errors.ts';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<readonly { readonly address: string }[]>;

export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true });

/** Public by their range, but answering with a machine's own credentials or settings at one cloud or another. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * The addresses a host name stands for, when all of them are on the public internet. The caller connects to these and
 * does not resolve the name again, so that a second answer cannot differ.
 *
 * @throws SOURCE_REFUSED for loopback, link-local, private, metadata and other special addresses, SOURCE_UNREACHABLE when
 * the name does not resolve.
 */
export async function resolvePublicAddresses(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  const addresses = ipaddr.isValid(hostname) ? [hostname] : await resolveName(hostname, lookup);
  const special = addresses.find((address) => !isPublic(address));
  if (special !== undefined) {
    throw new FairleadError(
      'SOURCE_REFUSED',
      `Git host ${hostname} has an address that is not on the public internet; only GIT_URL's own host may have one`,
      { details: { hostname } },
    );
  }
  return addresses;
}

/** True for unicast addresses of the public internet; IPv4 inside IPv6 is judged as the IPv4 address it is. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !METADATA_ADDRESSES.has(parsed.toString());
}

async function resolveName(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  const found = await lookup(hostname).catch((error: NodeJS.ErrnoException) => {
    const unknown = error.code === 'ENOTFOUND';
    const remedy = unknown ? 'correct the address' : 'name resolution fails at the moment';
    throw new FairleadError('SOURCE_UNREACHABLE', `Git host ${hostname} was not found: ${remedy}`, {
      cause: error,
      retryable: !unknown,
    });
  });
  if (found.length === 0) {
    throw new FairleadError('SOURCE_UNREACHABLE', `Git host ${hostname} has no address; correct the address`);
  }
  return found.map(({ address }) => address);
}
