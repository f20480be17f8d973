import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import type { Lookup } from '../public-address.ts';
import { addressRule, type BuildEgress, closedAddress, type Destination } from './egress-rules.ts';
import { tunnelThrough, upstreamFor } from './upstream-proxy.ts';

export interface OutboundOptions {
  /** Asked for every connection. */
  readonly egress: () => Promise<BuildEgress>;
  readonly lookup: Lookup;
  /** Whose HTTP_PROXY, HTTPS_PROXY and NO_PROXY hold for what is passed on. */
  readonly env: ProcessEnv;
  readonly connectTimeoutMs: number;
}

/** Ways out of a destination that was found to be open. */
export type Route =
  | { readonly kind: 'upstream'; readonly proxy: URL }
  | { readonly kind: 'direct'; readonly addresses: readonly string[] };

/**
 * How a destination is reached. A name with one closed address is closed. With an upstream proxy a name that is unknown
 * here is left to that one to judge.
 * @throws FORBIDDEN, UNAVAILABLE
 */
export async function findRoute(
  scheme: 'http' | 'https',
  destination: Destination,
  options: OutboundOptions,
): Promise<Route> {
  const isAllowed = addressRule(destination, await options.egress());
  const proxy = upstreamFor(scheme, destination, options.env);
  const addresses = await addressesOf(destination.host, options.lookup).catch((error: unknown) => {
    if (proxy !== null) return [];
    throw new FairleadError('UNAVAILABLE', `${destination.host} was not found`, { cause: error });
  });
  if (!addresses.every(isAllowed)) throw closedAddress(destination);
  return proxy === null ? { kind: 'direct', addresses } : { kind: 'upstream', proxy };
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  return (await lookup(host)).map(({ address }) => address);
}

/** A connection to the addresses that were judged: the name is not resolved again. @throws UNAVAILABLE */
export async function openConnection(
  destination: Destination,
  route: Route,
  { connectTimeoutMs }: OutboundOptions,
): Promise<Socket> {
  if (route.kind === 'upstream') return tunnelThrough(route.proxy, destination, connectTimeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { host, port } = destination;
  const found = route.addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, _options, callback) => callback(null, found);
  const socket = connect({ host, port, lookup, allowHalfOpen: true, autoSelectFamilyAttemptTimeout: 2_000 });
  const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), connectTimeoutMs);
  socket.once('connect', () => resolve(socket));
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    reject(
      new FairleadError('UNAVAILABLE', `${host}:${port} does not answer: ${cause.code ?? cause.message}`, { cause }),
    );
  });
  return promise.finally(() => clearTimeout(timer));
}
