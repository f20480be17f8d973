import type { Cloudflare } from 'cloudflare';
import { scopeOf } from '../../domain/properties/quota.ts';
import { type CallBudget, secondsAsked } from '../call-budget.ts';
import { boundedFetch } from '../http-fetch/bounded-fetch.ts';
import { toCloudflareError } from './cloudflare-error.ts';

/** Of the 1,200 that an account has in five minutes; people and other programs call as well. */
const QUOTA = scopeOf({ key: 'cloudflare', vendor: 'Cloudflare', calls: 1_000, windowMs: 300_000 });
const TIMEOUT_MS = 30_000;
/** The longest answer: a page of 100 records takes about 100 kB. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface CloudflareOptions {
  readonly apiToken: string;
  /** STACK_ID: names this installation among those on the account. */
  readonly installation: string;
  readonly budget: CallBudget;
  /** Node's own by default; tests lead it to a server of theirs. */
  readonly fetch?: typeof fetch;
  /** Shortened in tests. */
  readonly timeoutMs?: number;
}

/** A page of the library: it asks for the next one by itself. */
interface LibraryPage<T> {
  getPaginatedItems(): readonly T[];
  hasNextPage(): boolean;
  getNextPage(): Promise<LibraryPage<T>>;
}

export interface CloudflareCalls {
  /** @throws UNAVAILABLE (retryable), DNS_PROVIDER_REFUSED */
  call<T>(make: (cloudflare: Cloudflare) => PromiseLike<T>): Promise<T>;
  /** The items of all pages. @throws as `call` */
  items<T>(first: (cloudflare: Cloudflare) => PromiseLike<LibraryPage<T>>): AsyncGenerator<T>;
}

/** Calls of Cloudflare by its own client, which is loaded with the first one: it takes 50 MB. */
export function createCloudflareCalls(options: CloudflareOptions): CloudflareCalls {
  let client: Promise<Cloudflare> | null = null;
  const call: CloudflareCalls['call'] = async (make) => {
    client ??= loadClient(options);
    const cloudflare = await client;
    await options.budget.acquire([QUOTA]);
    try {
      return await make(cloudflare);
    } catch (error) {
      const failure = toCloudflareError(error);
      const seconds = secondsAsked(failure);
      // It refuses every call of the account meanwhile, whichever process makes it.
      if (seconds !== null) await options.budget.pause(QUOTA.key, seconds);
      throw failure;
    }
  };
  async function* items<T>(first: (cloudflare: Cloudflare) => PromiseLike<LibraryPage<T>>): AsyncGenerator<T> {
    let page = await call(first);
    for (;;) {
      yield* page.getPaginatedItems();
      if (!page.hasNextPage()) return;
      const previous = page;
      page = await call(() => previous.getNextPage());
    }
  }
  return { call, items };
}

async function loadClient(options: CloudflareOptions): Promise<Cloudflare> {
  const { apiToken, fetch: given = fetch, timeoutMs = TIMEOUT_MS } = options;
  const { Cloudflare: Client } = await import('cloudflare');
  // Retries are those of activities.
  const calm = { maxRetries: 0, timeout: timeoutMs };
  return new Client({ apiToken, ...calm, fetch: boundedFetch(given, MOST_BYTES) });
}

/** Whether an error has one of these codes of Cloudflare. */
export function hasCloudflareCode(error: unknown, ...codes: readonly number[]): boolean {
  const details = (error as { details?: { codes?: readonly number[] } } | null)?.details;
  return (details?.codes ?? []).some((code) => codes.includes(code));
}

/** As zone files write texts (RFC 1035, 5.1). */
export const quoted = (text: string): string => `"${text}"`;

/** A text as DNS has it: the parts of a long one are joined. */
export function unquoted(content: string): string {
  const parts = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) => part.replace(/\\(.)/g, '$1'));
  return parts.length === 0 ? content : parts.join('');
}
