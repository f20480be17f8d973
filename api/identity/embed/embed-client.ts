import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { authenticateClient, requireConfidential } from '../oauth/authenticate-client.ts';

/** Who calls the headless API. */
export interface EmbedCaller {
  readonly client: ClientRecord;
  /** True for the client's own server with its secret; false for a page of an origin the client allows. */
  readonly server: boolean;
  /** Before anything was read for the request, and the `iat` of its tokens. */
  readonly askedAt: Date;
}

const CLIENT_HEADERS = ['x-client-id', 'x-client-secret'] as const;

/**
 * The headless client that a request is from (spec 1, D 1). Its server authenticates by `X-Client-Id` and
 * `X-Client-Secret`. Whatever names an origin comes from a browser: it is refused, unless the client lists that origin,
 * and then it is a page, which no secret makes a server of: one that got into a page is no secret any more.
 * @throws OAUTH_INVALID_CLIENT, ORIGIN_REFUSED, FORBIDDEN for a client that is not headless
 */
export async function requireEmbedCaller(deps: IdentityDeps, context: RouteContext): Promise<EmbedCaller> {
  const askedAt = deps.now();
  const clientId = singleHeader(context, 'x-client-id');
  const clientSecret = singleHeader(context, 'x-client-secret');
  const client =
    clientSecret === null
      ? await pageClient(deps, context, clientId)
      : await serverClient(deps, context, clientId, clientSecret);
  if (context.origin !== null) {
    if (!client.passportConfig.allowedEmbedOrigins.includes(context.origin)) throw originRefused();
    context.allowOrigin(context.origin);
  }
  if (!client.headlessEnabled) throw new FairleadError('FORBIDDEN', 'This client is not switched on as headless');
  return { client, server: context.origin === null, askedAt };
}

async function serverClient(
  deps: IdentityDeps,
  { address }: RouteContext,
  clientId: string | null,
  clientSecret: string,
): Promise<ClientRecord> {
  const presented = { clientSecret, address, ...(clientId === null ? {} : { clientId }) };
  return requireConfidential(await authenticateClient(deps, presented)).client;
}

async function pageClient(
  deps: IdentityDeps,
  { origin }: RouteContext,
  clientId: string | null,
): Promise<ClientRecord> {
  if (origin === null || clientId === null) {
    throw new FairleadError('OAUTH_INVALID_CLIENT', 'Send X-Client-Id and X-Client-Secret, from a server');
  }
  const client = await deps.clients.find(clientId);
  const org = client === null ? null : await deps.orgs.find(client.orgSlug);
  // The same answer for a client that is not there: a page of nowhere learns nothing.
  if (client === null || org === null || org.suspendedAt !== null) throw originRefused();
  return client;
}

/**
 * Node joins repeated headers with a comma. No id or secret has one, so it means that somebody sent two, hoping that
 * what is in front of us looked at the other. @throws OAUTH_INVALID_CLIENT
 */
function singleHeader({ headers }: RouteContext, name: (typeof CLIENT_HEADERS)[number]): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && /^[\x21-\x2b\x2d-\x7e]{1,512}$/.test(value)) return value;
  throw new FairleadError('OAUTH_INVALID_CLIENT', `${name} must be sent once, with one value`);
}

function originRefused(): FairleadError {
  return new FairleadError(
    'ORIGIN_REFUSED',
    'The headless API is for servers; this origin is not one the client allows',
  );
}
