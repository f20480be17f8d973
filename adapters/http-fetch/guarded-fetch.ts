import type { Dispatcher } from 'undici';
import { FairleadError } from '../../domain/errors.ts';
import { type Lookup, systemLookup } from '../public-address.ts';
import { API_POLICY, checkAddress, type FetchPolicy, parseAddress, refused } from './fetch-policy.ts';
import { createGuardedConnector, type Dialler, type GuardedConnectorOptions } from './guarded-connector.ts';
import { ACCEPTED_ENCODINGS, dropBody, readBody } from './read-body.ts';

export interface GuardedFetchOptions {
  /** `API_POLICY` by default. */
  readonly policy?: FetchPolicy;
  /** Origins of the platform's own parts, which may have private addresses and plain http: none by default. */
  readonly trustedOrigins?: readonly string[];
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: Lookup;
  readonly dialler?: Dialler | null;
  readonly isOwn?: GuardedConnectorOptions['isOwn'];
  /** Longest wait for a whole answer, its redirects included. */
  readonly timeoutMs: number;
  /** The longest body of an answer, decompressed. */
  readonly mostBytes: number;
}

export interface GuardedRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with each address before it is asked, the first and those of redirects; what it throws ends the fetch. */
  readonly onHop?: (url: URL) => Promise<void> | void;
  /** False where the status says all: whatever else is answered, `text` is empty. True by default. */
  readonly readsBody?: boolean;
}

export interface GuardedAnswer {
  /** Of the last address, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names; the first of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedAnswer>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
/** Their headers speak of a body that does not follow. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const MOST_HEADER_BYTES = 32 * 1024;
/** What another origin is told of a request. */
const KEPT_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/**
 * Fetches an address that a person or a site chose. Addresses that are not on the public internet are refused, as
 * literals and as the socket resolves them, except at the platform's own origins; so is this machine's own address at other
 * ports than those of the web. The policy says what else is refused. A
 * redirect is held to the same rules; to another origin no header goes but those that say who asks, and in which form.
 *
 * @throws SOURCE_REFUSED for an address that is refused, or a redirect to one; UNAVAILABLE (retryable) when nobody answers
 *   within the time, or more than the limit; the reason of an abort; what `onHop` throws. No message of its own has a
 *   path, query or header.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { policy = API_POLICY, trustedOrigins = [], lookup = systemLookup, dialler = null, timeoutMs } = options;
  const connecting = { lookup, dialler, ...(options.isOwn === undefined ? {} : { isOwn: options.isOwn }) };
  let dispatchers: Promise<Dispatchers> | null = null;
  return async ({ url, signal, ...rest }) => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const first = parseAddress(url);
    const isTrusted = ({ origin }: URL): boolean => trustedOrigins.includes(origin);
    if (!isTrusted(first)) checkAddress(first, policy);
    dispatchers ??= openDispatchers(connecting);
    const { trusted, guarded } = await dispatchers;
    const dispatcher = isTrusted(first) ? trusted : guarded;
    // A trusted origin is never left: what it redirects to would have its trust.
    const leavesOrigin = policy.leavesOrigin && !isTrusted(first);
    try {
      const sending = { ...rest, dispatcher, signal: either, policy: { ...policy, leavesOrigin } };
      return await unlessAborted(follow(first, sending, options.mostBytes), either);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof FairleadError || error instanceof HopRefused) throw unwrapped(error);
      const why = limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached';
      throw new FairleadError('UNAVAILABLE', `${first.host} ${why}`, { retryable: true, cause: error });
    }
  };
}

/** The client does not end a request that waits for its connection: neither a name that is looked up nor a handshake. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface Dispatchers {
  readonly guarded: Dispatcher;
  readonly trusted: Dispatcher;
}

/** Loaded with the first fetch: it takes 20 MB, and most processes never fetch such an address. */
const loadUndici = () => import('undici');

async function openDispatchers(options: GuardedConnectorOptions): Promise<Dispatchers> {
  const { Agent, buildConnector } = await loadUndici();
  const connect = createGuardedConnector(buildConnector, options);
  return { guarded: new Agent({ connect, maxHeaderSize: MOST_HEADER_BYTES }), trusted: new Agent() };
}

interface Sending extends Pick<GuardedRequest, 'method' | 'headers' | 'body' | 'onHop' | 'readsBody'> {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  readonly policy: FetchPolicy;
}

async function follow(
  first: URL,
  { onHop, policy, readsBody = true, ...sending }: Sending,
  most: number,
): Promise<GuardedAnswer> {
  const { request } = await loadUndici();
  let url = first;
  let headers: Readonly<Record<string, string>> = {
    ...(policy.decompresses ? { 'accept-encoding': ACCEPTED_ENCODINGS } : {}),
    ...sending.headers,
  };
  for (let redirects = 0; redirects <= policy.mostRedirects; redirects += 1) {
    await hop(onHop, url);
    const answer = await request(url, { ...sending, headers });
    const answered = firstOfEach(answer.headers);
    if (!REDIRECTS.has(answer.statusCode) || answered.location === undefined) {
      const { method } = sending;
      const encoding = policy.decompresses ? (answered['content-encoding'] ?? null) : null;
      const text = await textOf(answer, { method, encoding, readsBody, most, host: url.host });
      return { url: url.href, status: answer.statusCode, headers: answered, text };
    }
    // Not read: the connection is not used again.
    answer.body.on('error', () => undefined).destroy();
    const next = checkRedirect(answered.location, { first, url, policy });
    if (next.origin !== url.origin) {
      if (sending.body !== undefined) throw refused(first, 'redirects what is sent to it to another host');
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name.toLowerCase())));
    }
    url = next;
  }
  throw refused(first, `redirects more than ${policy.mostRedirects} times`);
}

interface Reading extends Pick<Sending, 'method'> {
  readonly encoding: string | null;
  readonly readsBody: boolean;
  readonly most: number;
  readonly host: string;
}

async function textOf(
  { statusCode, body }: Dispatcher.ResponseData,
  { method, encoding, readsBody, most, host }: Reading,
): Promise<string> {
  if (!readsBody) {
    await dropBody(body, most);
    return '';
  }
  const hasBody = method !== 'HEAD' && !BODILESS.has(statusCode);
  return (await readBody(body, { encoding: hasBody ? encoding : null, most, host })).toString('utf8');
}

function checkRedirect(
  location: string,
  { first, url, policy }: { readonly first: URL; readonly url: URL; readonly policy: FetchPolicy },
): URL {
  const next = parseAddress(location, url);
  if (policy.leavesOrigin) checkAddress(next, policy);
  else if (next.origin !== url.origin) throw refused(first, `redirects to ${next.host}; give that address instead`);
  return next;
}

/** What a caller threw of an address, told from what failed underneath. */
class HopRefused extends Error {}

function unwrapped(error: Error): unknown {
  return error instanceof HopRefused ? error.cause : error;
}

async function hop(onHop: GuardedRequest['onHop'], url: URL): Promise<void> {
  try {
    await onHop?.(url);
  } catch (error) {
    throw new HopRefused('not asked', { cause: error });
  }
}

function firstOfEach(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const first = (value: string | string[] | undefined): string =>
    Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), first(value)]));
}
