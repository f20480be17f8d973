import ipaddr from 'ipaddr.js';
import { FairleadError } from '../../domain/errors.ts';
import { isPublic, type Lookup } from '../public-address.ts';

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
