import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord, ClientSecret } from '../../../domain/oauth-clients/client.ts';
import { singleHeader } from '../../http/single-header.ts';
import type { IdentityDeps } from '../deps.ts';
import { parseBasic } from './parse-basic.ts';

/** Failed attempts of one address at one client in a window, after which the answer says so. */
const FAILURES = 30;
const WINDOW_SECONDS = 300;

/** A secret's last use is kept to the minute. */
const TOUCH_MS = 60_000;

type Deps = Pick<IdentityDeps, 'clients' | 'orgs' | 'attempts' | 'tokens' | 'now' | 'log'>;

export interface PresentedClient {
  readonly authorization?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Network address, under which failures are counted; without it they are not. */
  readonly address?: string;
}

export interface AuthenticatedClient {
  readonly client: ClientRecord;
  readonly method: 'basic' | 'post' | 'none';
  /**
   * Before anything was read for the request, and the `iat` of its tokens: who revokes the client, its org or its person
   * from then on voids them.
   */
  readonly askedAt: Date;
}

/**
 * The client that a request proves to be from: secret in a Basic header or in the body, or the id alone of a public
 * client, which has no secret (RFC 6749, 2.3).
 *
 * A right secret is always accepted: it has 256 random bits, so attempts are no danger to it, and nobody can lock a
 * client out by failing in its name. Who fails too often from one address is told to stop before anything is written
 * again for the attempts of that address.
 * @throws OAUTH_INVALID_CLIENT; OAUTH_INVALID_REQUEST for two credentials at once; RATE_LIMITED; UNAVAILABLE
 */
export async function authenticateClient(deps: Deps, presented: PresentedClient): Promise<AuthenticatedClient> {
  const askedAt = deps.now();
  const { clientId, clientSecret, method } = readCredentials(presented);
  const client = await deps.clients.find(clientId);
  if (client === null || !(await proves(deps, client, clientSecret))) {
    await countFailure(deps, clientId, presented.address);
    // One message for all: who asks learns neither which clients exist nor how far off they were.
    throw new FairleadError('OAUTH_INVALID_CLIENT', 'The client is unknown, or its secret is missing, wrong or stale');
  }
  if ((await deps.orgs.find(client.orgSlug))?.suspendedAt instanceof Date) {
    throw new FairleadError('OAUTH_INVALID_CLIENT', 'The organization that owns this client is suspended');
  }
  return { client, method, askedAt };
}

/** A confidential client by the headers `X-Client-Id` and `X-Client-Secret`, or by Basic. @throws like {@link authenticateClient} */
export async function authenticateHeaders(
  deps: Deps,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  address?: string,
): Promise<AuthenticatedClient> {
  const found = await authenticateClient(deps, {
    authorization: singleHeader(headers.authorization),
    clientId: singleHeader(headers['x-client-id']),
    clientSecret: singleHeader(headers['x-client-secret']),
    ...(address === undefined ? {} : { address }),
  });
  return requireConfidential(found);
}

/** @throws OAUTH_INVALID_CLIENT for a public client, which anybody can claim to be. */
export function requireConfidential(found: AuthenticatedClient): AuthenticatedClient {
  if (found.method !== 'none') return found;
  throw new FairleadError('OAUTH_INVALID_CLIENT', 'This needs a client with a secret');
}

function readCredentials(presented: PresentedClient) {
  const basic = parseBasic(presented.authorization);
  const { clientId, clientSecret } = presented;
  if (basic === null) {
    if (clientId === undefined) throw new FairleadError('OAUTH_INVALID_CLIENT', 'The request names no client');
    return { clientId, clientSecret, method: clientSecret === undefined ? ('none' as const) : ('post' as const) };
  }
  if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw new FairleadError('OAUTH_INVALID_REQUEST', 'Authenticate the client in one way: by header or in the body');
  }
  return { ...basic, method: 'basic' as const };
}

/** True for a public client without a secret, and for a confidential one with one of its live secrets. */
async function proves(deps: Deps, client: ClientRecord, clientSecret: string | undefined): Promise<boolean> {
  if (client.clientType === 'public') return clientSecret === undefined;
  if (clientSecret === undefined) return false;
  const hash = deps.tokens.hash(clientSecret);
  const used = client.secrets.find((secret) => deps.tokens.equals(hash, secret.hash));
  if (used !== undefined) touch(deps, client, used);
  return used !== undefined;
}

/** Nobody waits for it, and a time that could not be kept is kept with the next use. */
function touch(deps: Deps, client: ClientRecord, secret: ClientSecret): void {
  const now = deps.now();
  if (secret.lastUsedAt !== null && now.getTime() - secret.lastUsedAt.getTime() < TOUCH_MS) return;
  deps.clients.touchSecret(client.clientId, secret.id, now).catch((error: unknown) => {
    deps.log.warn({ err: error, clientId: client.clientId }, 'the use of a client secret was not stored');
  });
}

async function countFailure(deps: Deps, clientId: string, address: string | undefined): Promise<void> {
  if (address === undefined) return;
  const key = `client:${deps.tokens.hash(JSON.stringify([clientId, address]))}`;
  const now = deps.now();
  const known = await deps.attempts.read(key, now);
  const attempts =
    known !== null && known.attempts > FAILURES ? known.attempts : await deps.attempts.count(key, WINDOW_SECONDS, now);
  if (attempts <= FAILURES) return;
  throw new FairleadError('RATE_LIMITED', 'Too many failed attempts to authenticate this client; wait some minutes');
}
