import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Dispatcher } from 'undici';
import { FairleadError } from '../../domain/errors.ts';
import { isPublic, type Lookup, systemLookup } from '../public-address.ts';

export interface GuardedFetchOptions {
  /** Origins of the platform's own parts, which may have private addresses and plain http: none by default. */
  readonly trustedOrigins?: readonly string[];
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: Lookup;
  /** Longest wait for a whole answer, its redirects included. */
  readonly timeoutMs: number;
  /** The longest body of an answer. */
  readonly mostBytes: number;
}

export interface GuardedRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface GuardedAnswer {
  readonly status: number;
  /** Lower-case names; the first of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedAnswer>;

const MOST_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Fetches an address that a person chose. Addresses that are not on the public internet are refused, as literals and as the
 * socket resolves them, except at the platform's own origins; so is plain http. A redirect is followed within one origin
 * alone, as the request was, so that no header gets to another host. Nothing is decompressed.
 *
 * @throws SOURCE_REFUSED for an address that is refused, or a redirect to another host; UNAVAILABLE (retryable) when nobody
 *   answers within the time, or more than the limit; the reason of an abort. No message has a path, query or header.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { trustedOrigins = [], lookup = systemLookup, timeoutMs, mostBytes } = options;
  let dispatchers: Promise<Dispatchers> | null = null;
  return async ({ url, signal, ...rest }) => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const origin = checkAddress(new URL(url), trustedOrigins);
    dispatchers ??= openDispatchers(lookup);
    const { trusted, guarded } = await dispatchers;
    const dispatcher = trustedOrigins.includes(origin) ? trusted : guarded;
    try {
      return await follow(new URL(url), { ...rest, dispatcher, signal: either }, mostBytes);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof FairleadError) throw error;
      const why = limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached';
      throw new FairleadError('UNAVAILABLE', `${new URL(url).host} ${why}`, { retryable: true, cause: error });
    }
  };
}

interface Dispatchers {
  readonly guarded: Dispatcher;
  readonly trusted: Dispatcher;
}

/** Loaded with the first fetch: it takes 20 MB, and most processes never fetch such an address. */
const loadUndici = () => import('undici');

async function openDispatchers(lookup: Lookup): Promise<Dispatchers> {
  const { Agent } = await loadUndici();
  return { guarded: new Agent({ connect: { lookup: guardedLookup(lookup) } }), trusted: new Agent() };
}

/** @returns the origin @throws SOURCE_REFUSED */
function checkAddress(url: URL, trustedOrigins: readonly string[]): string {
  if (url.username !== '' || url.password !== '') throw refused(url, 'carries credentials; remove them');
  if (trustedOrigins.includes(url.origin)) return url.origin;
  if (url.protocol !== 'https:') throw refused(url, 'is not https, so that a credential would be sent in the clear');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isPublic(literal)) throw notPublic(url.hostname);
  return url.origin;
}

interface Sending {
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function follow(first: URL, sending: Sending, mostBytes: number): Promise<GuardedAnswer> {
  const { request } = await loadUndici();
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await request(url, sending);
    const headers = firstOfEach(answer.headers);
    if (!REDIRECTS.has(answer.statusCode) || headers.location === undefined) {
      return { status: answer.statusCode, headers, text: await readText(answer.body, mostBytes, url.host) };
    }
    // Not read: the connection is not used again.
    answer.body.on('error', () => undefined).destroy();
    if (!URL.canParse(headers.location, url.href)) throw refused(first, 'redirects to what is no address');
    const next = new URL(headers.location, url);
    if (next.origin !== first.origin) throw refused(first, `redirects to ${next.host}; give that address instead`);
    url = next;
  }
  throw refused(first, `redirects more than ${MOST_REDIRECTS} times`);
}

async function readText(body: AsyncIterable<Uint8Array>, most: number, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) {
      throw new FairleadError('UNAVAILABLE', `${host} answered with more than ${most} bytes`, { retryable: true });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The lookup of a socket: what it gives is what is connected to. */
function guardedLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname).then(
      (found) => {
        const addresses = found.map(({ address }) => ({
          address,
          family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4,
        }));
        const [first] = addresses;
        if (first === undefined) return done(new Error(`${hostname} has no address`), []);
        if (addresses.some(({ address }) => !isPublic(address))) return done(notPublic(hostname), []);
        return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}

function firstOfEach(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const first = (value: string | string[] | undefined): string =>
    Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), first(value)]));
}

function notPublic(hostname: string): FairleadError {
  return new FairleadError('SOURCE_REFUSED', `${hostname} has an address that is not on the public internet`, {
    details: { hostname },
  });
}

function refused(url: URL, why: string): FairleadError {
  return new FairleadError('SOURCE_REFUSED', `The address at ${url.host} ${why}`, {
    details: { hostname: url.hostname },
  });
}
