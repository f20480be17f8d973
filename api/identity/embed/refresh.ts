import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { refreshBodySchema } from '../../../domain/identity/embed-schema.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { refreshToken } from '../oauth/grants/refresh-token.ts';
import { readRefreshToken } from '../tokens/refresh-token.ts';
import type { TokenReply } from '../tokens/token-reply.ts';
import type { EmbedCaller } from './embed-client.ts';

/**
 * Refreshes a login made by the headless API, by the same rules as the token endpoint. Logins of trusted sign-up are
 * refreshed there and not here (spec 1, "Identity provider"); the token is not used up by trying. A page has no refresh
 * token, so one that sends one has taken it from somewhere.
 * @throws OAUTH_INVALID_GRANT, OAUTH_UNAUTHORIZED_CLIENT, ORIGIN_REFUSED
 */
export async function embedRefresh(
  deps: IdentityDeps,
  context: RouteContext,
  { client, server, askedAt }: EmbedCaller,
  body: z.output<typeof refreshBodySchema>,
): Promise<TokenReply> {
  if (!server) throw new FairleadError('ORIGIN_REFUSED', 'Tokens are refreshed by the server of a client');
  if (!client.allowedGrantTypes.includes('refresh_token')) {
    throw new FairleadError('OAUTH_UNAUTHORIZED_CLIENT', 'This client may not refresh tokens');
  }
  const presented = readRefreshToken(deps.tokens, body.refresh_token);
  const grant = presented === null ? null : await deps.grants.find(presented.grantId);
  if (grant !== null && grant.clientId === client.clientId && grant.origin === 'trusted_signup') {
    const message = 'Refresh this login at the token endpoint, with grant_type refresh_token';
    throw new FairleadError('OAUTH_INVALID_GRANT', message);
  }
  const { refresh_token, scope } = body;
  return refreshToken(deps, { client, issuedAt: askedAt, context, parameters: { refresh_token, scope } });
}
