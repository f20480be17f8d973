import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { RevocableClaims } from '../../domain/identity/revocation.ts';
import { FEED_OVERLAP_MS, revocationFeedSchema } from '../../domain/identity/revocation-feed.ts';
import { startPolling } from './polling.ts';
import { createRevocationList } from './revocation-list.ts';

const POLL_MS = 500;
const POLL_LIMIT_MS = 2_000;
/** Between two reads that tokens may cause while the provider is away. */
const RETRY_MS = 100;
/** No longer than revoked tokens may be accepted: a provider that dies may just have revoked one, and told nobody. */
const STALE_MS = 1_000;
/** Tokens are accepted up to 5 s after they expire, and clocks differ: entries stay a little longer than the last token. */
const KEEP_MS = 60_000;

/** How a verifier proves to the provider that it may read the denylist. */
export type FeedCredentials =
  | { readonly clientId: string; readonly clientSecret: string }
  | { readonly internalKey: string };

/** The provider's denylist, followed. */
export interface FollowedRevocations {
  /** True while the denylist was read within the last second. */
  isFresh(): boolean;
  /** Waits for a read that is under way. @throws UNAVAILABLE (retryable) when the denylist cannot be known now */
  waitUntilFresh(): Promise<void>;
  isRevoked(claims: RevocableClaims): boolean;
  close(): void;
}

export interface RevocationFeedOptions {
  readonly idpUrl: string;
  readonly credentials: FeedCredentials;
  /** `accept`: while the provider is away, tokens are judged by what was last known. */
  readonly stale: 'refuse' | 'accept';
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Gets the ids of all withdrawn keys with each read. */
  readonly onWithdrawnKeys: (kids: readonly string[]) => void;
}

/**
 * Reads `GET {idp}/api/oauth/revocations` twice a second, so that a revoked token is refused within a second. Keeps no
 * process alive.
 */
export function followRevocations(options: RevocationFeedOptions): FollowedRevocations {
  const { clock } = options;
  const list = createRevocationList();
  let since: Date | null = null;
  /** When the last read that succeeded was begun, by our own clock: it shows everything made before. */
  let readAt: number | null = null;
  let away: { readonly cause: unknown; readonly at: number } | null = null;
  let closed = false;

  const read = async (signal: AbortSignal): Promise<void> => {
    const startedAt = clock().getTime();
    try {
      const feed = await readFeed(options, since, signal);
      options.onWithdrawnKeys(feed.withdrawnKeys);
      list.add(feed.revocations);
      list.prune(new Date(startedAt - KEEP_MS));
      since = new Date(Date.parse(feed.asOf) - FEED_OVERLAP_MS);
      readAt = startedAt;
      away = null;
    } catch (error) {
      away = { cause: error, at: clock().getTime() };
    }
  };
  const polling = startPolling(read, { pauseMs: POLL_MS, limitMs: POLL_LIMIT_MS });
  // Either way the clock was set, the age is not known to be small.
  const isFresh = (): boolean => readAt !== null && Math.abs(clock().getTime() - readAt) <= STALE_MS;
  return {
    isFresh,
    isRevoked: list.isRevoked,
    waitUntilFresh: async () => {
      // A process that was asleep, or missed one answer, has an old list and a provider that answers: one read tells.
      // While it is away it is not asked for every token.
      if (away === null || Math.abs(clock().getTime() - away.at) >= RETRY_MS) await polling.now();
      if (isFresh() || (options.stale === 'accept' && !closed)) return;
      const message = 'Cannot check whether the token was revoked: the identity provider does not answer';
      throw new FairleadError('UNAVAILABLE', message, { cause: away?.cause, retryable: true });
    },
    close: () => {
      closed = true;
      polling.stop();
    },
  };
}

async function readFeed(options: RevocationFeedOptions, since: Date | null, signal: AbortSignal) {
  const url = new URL(`${options.idpUrl}/api/oauth/revocations`);
  if (since !== null) url.searchParams.set('since', since.toISOString());
  const response = await options.fetch(url, {
    headers: { accept: 'application/json', ...credentialHeaders(options.credentials) },
    // Credentials follow no redirect.
    redirect: 'error',
    signal,
  });
  if (!response.ok) throw new Error(`the revocation feed answered ${response.status}`);
  return revocationFeedSchema.parse(await response.json());
}

function credentialHeaders(credentials: FeedCredentials): Record<string, string> {
  if ('internalKey' in credentials) return { 'x-internal-key': credentials.internalKey };
  return { authorization: basicAuthorization(credentials.clientId, credentials.clientSecret) };
}

/** HTTP Basic of a client: both parts are form-encoded first (RFC 6749, 2.3.1). */
function basicAuthorization(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
