import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { FairleadError } from '../../domain/errors.ts';
import { isOfThisMachine, isPublic, type Lookup, WEB_PORTS } from '../public-address.ts';

/** Where a socket goes in the end. */
export interface DialTarget {
  readonly address: string;
  readonly port: number;
}

/**
 * Leads sockets elsewhere once the guard has let their addresses pass. Composition roots hand one in: tests, whose sites
 * have public names and addresses, and are served on this machine.
 */
export interface Dialler {
  dial(found: { readonly hostname: string; readonly addresses: readonly string[]; readonly port: number }): DialTarget;
  /** Certificates (PEM) trusted besides the usual ones. */
  readonly ca?: string;
}

export interface GuardedConnectorOptions {
  readonly lookup: Lookup;
  readonly dialler: Dialler | null;
  /** Whether an address is this machine's own; by its network interfaces when it is left out. */
  readonly isOwn?: (address: string) => boolean;
}

/** As long as the client waits for a socket: whoever asks for the same host next waits for this one. */
const LOOKUP_MS = 10_000;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Makes the sockets of guarded fetches. What is checked is what is connected to: the host is resolved once, every address
 * must be public, at other ports than those of the web not this machine's own, and the socket goes to one of these without
 * asking again. A literal is checked likewise.
 */
export function createGuardedConnector(
  build: typeof buildConnector,
  { lookup, dialler, isOwn = isOfThisMachine }: GuardedConnectorOptions,
): buildConnector.connector {
  const ca = dialler?.ca === undefined ? {} : { ca: dialler.ca };
  return (options, done) => {
    const port = Number(options.port || PORTS[options.protocol]);
    const isClosed = (address: string): boolean => !WEB_PORTS.includes(port) && isOwn(address);
    publicAddresses(options.hostname, lookup, isClosed).then(
      (addresses) => {
        const target = dialler?.dial({ hostname: options.hostname, addresses, port });
        const connect = build({ allowH2: false, lookup: fixedLookup(addresses), ...ca });
        const at = target === undefined ? {} : { hostname: target.address, port: String(target.port) };
        connect({ ...options, ...at }, done);
      },
      (error: Error) => done(error, null),
    );
  };
}

/**
 * @param isClosed says of a public address that it is refused as well
 * @throws SOURCE_REFUSED when one of them is refused, though others are not
 */
export async function publicAddresses(
  hostname: string,
  lookup: Lookup,
  isClosed: (address: string) => boolean = () => false,
): Promise<readonly string[]> {
  const addresses = await resolveHost(hostname, lookup);
  if (addresses.every((address) => isPublic(address) && !isClosed(address))) return addresses;
  throw new FairleadError('SOURCE_REFUSED', `${hostname} has an address that is not on the public internet`, {
    details: { hostname },
  });
}

/** All addresses of a host, whatever they are; a literal is its own, with brackets or without. */
export async function resolveHost(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = ipaddr.isValid(literal)
    ? [literal]
    : (await lookUp(hostname, lookup)).map(({ address }) => address);
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  return addresses;
}

async function lookUp(hostname: string, lookup: Lookup): Promise<Awaited<ReturnType<Lookup>>> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${hostname} was not resolved in time`)), LOOKUP_MS);
  try {
    return await Promise.race([lookup(hostname), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Answers with what was found, whatever is asked. */
export function fixedLookup(found: readonly string[]): LookupFunction {
  const addresses = found.map((address) => ({ address, family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4 }));
  return (_hostname, options, done) => {
    const [first] = addresses;
    if (first === undefined || options.all === true) return done(null, addresses);
    return done(null, first.address, first.family);
  };
}
