import { hash } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createMiddleware, type Middleware } from './middleware.ts';
import {
  type FeedCredentials,
  type FollowedRevocations,
  followRevocations,
  type RevocationFeedOptions,
} from './revocation-feed.ts';
import { followShared } from './shared-revocations.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createTokenCheck, refusal } from './token-check.ts';
import { createTokenMemory } from './token-memory.ts';
import { type RequestWithHeaders, readTokens } from './token-source.ts';
import type { FairleadUser } from './user.ts';

export interface TokenVerifierOptions {
  /** Base address of the identity provider, IDP_URL. */
  readonly idpUrl: string | undefined;
  /** The issuer that tokens must name, where the provider is reached by another address than it calls itself. */
  readonly issuer?: string;
  /** The client id of the service that verifies, IDP_CLIENT_ID: tokens for others are refused. */
  readonly audience: string | undefined;
  /**
   * Credentials to follow the provider's denylist with, so that a revoked token, and any of a withdrawn key, is refused
   * within a second. `off`: a revoked token stays good until it expires, within the hour, and one of a withdrawn key until
   * the keys are read again, within two minutes.
   */
  readonly revocations: FeedCredentials | 'off';
  /** While the denylist cannot be read: refuse every token (the default), or accept what might be revoked. */
  readonly staleRevocations?: 'refuse' | 'accept';
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

/** A request whose token was good. */
export interface Authenticated {
  readonly user: FairleadUser;
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

export interface TokenVerifier {
  /**
   * The user of an access token. @throws UNAUTHORIZED for a token that is not good here, with details `{ reason }`;
   * UNAVAILABLE (retryable) when keys or denylist cannot be known now.
   */
  verify(token: string): Promise<FairleadUser>;
  /** Verifies the token a request carries. @throws as `verify`, and UNAUTHORIZED when it carries none */
  authenticate(request: RequestWithHeaders): Promise<Authenticated>;
  /** For Express and the like: sets `request.user`, or answers 401. */
  middleware(): Middleware;
  /** Stops following keys and denylist; nothing is verified afterwards. */
  close(): void;
}

/**
 * Verifies access tokens of the identity provider offline (spec 1, A; RFC 9068, 4): RS256 by a published key, `typ`
 * at+jwt, issuer and audience exact, lifetime with 5 s of skew, and not revoked. Nothing in a token's header but its
 * `kid` has any effect, and that one only chooses among the published keys.
 *
 * @throws VALIDATION_FAILED when IDP_URL or IDP_CLIENT_ID is missing
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { fetch = globalThis.fetch, clock = () => new Date() } = options;
  const idpUrl = requireSetting('IDP_URL', options.idpUrl).replace(/\/+$/, '');
  const keys = createSigningKeys({ idpUrl, fetch, clock });
  const check = createTokenCheck({
    issuer: options.issuer ?? idpUrl,
    audience: requireSetting('IDP_CLIENT_ID', options.audience),
    keys,
    clock,
  });
  const { revocations } = options;
  const feed = revocations === 'off' ? null : follow(idpUrl, revocations, options, keys.withdraw);
  const memory = createTokenMemory(keys, clock);
  let closed = false;

  const verify = async (token: string): Promise<FairleadUser> => {
    if (closed) throw new FairleadError('UNAVAILABLE', 'This token verifier was closed');
    // By digest, so that no token is kept.
    const id = hash('sha256', token, 'base64');
    const { user, kid } = memory.recall(id, token) ?? memory.remember(id, await check(token));
    if (feed === null) return user;
    if (!feed.isFresh()) await feed.waitUntilFresh();
    // The set it was checked by may have been read before the key was withdrawn.
    if (keys.isWithdrawn(kid)) throw refusal('unknown-key');
    if (feed.isRevoked(user.claims)) throw refusal('revoked');
    return user;
  };
  const authenticate = async (request: RequestWithHeaders): Promise<Authenticated> => {
    const { accessToken, refreshToken } = readTokens(request);
    if (accessToken === null) throw refusal('missing');
    return { user: await verify(accessToken), accessToken, refreshToken };
  };
  return {
    verify,
    authenticate,
    middleware: () => createMiddleware(authenticate),
    close: () => {
      closed = true;
      keys.close();
      feed?.close();
    },
  };
}

function follow(
  idpUrl: string,
  credentials: FeedCredentials,
  { staleRevocations: stale = 'refuse', fetch, clock }: TokenVerifierOptions,
  onWithdrawnKeys: RevocationFeedOptions['onWithdrawnKeys'],
): FollowedRevocations {
  const feed = { idpUrl, credentials, stale, onWithdrawnKeys };
  if (fetch === undefined && clock === undefined) return followShared(feed);
  return followRevocations({ ...feed, fetch: fetch ?? globalThis.fetch, clock: clock ?? (() => new Date()) });
}

function requireSetting(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  throw new FairleadError('VALIDATION_FAILED', `${name} is required: declare spec.auth in the catalog, then deploy`);
}
