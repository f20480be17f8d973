import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { revokeGrant, revokeToken } from '../revocation/revoke.ts';
import { readRefreshToken } from '../tokens/refresh-token.ts';
import { type AuthenticatedClient, authenticateClient, requireConfidential } from './authenticate-client.ts';
import { introspect, introspectionSchema } from './introspection.ts';
import { findOwnToken } from './own-token.ts';
import { CLIENT_PARAMETERS, parameter, requireParameter } from './token-request.ts';

/** The hint is not needed: the two kinds of tokens look different. */
const requestSchema = z.object({ ...CLIENT_PARAMETERS, token: parameter(16_384), token_type_hint: parameter(100) });

type Body = z.output<typeof requestSchema>;

/** Asking about tokens (RFC 7662) and giving them up (RFC 7009). */
export function introspectionRoutes(deps: IdentityDeps): readonly Route[] {
  const shared = {
    method: 'post',
    tag: 'oauth',
    callers: 'public',
    body: requestSchema,
    bodyTypes: ['json', 'form'],
    replies: 'oauth',
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/oauth/introspect',
      summary: 'What a token is, and whether it is valid now',
      description: 'For clients with a secret. A token that is not for the client, nor issued to it, is inactive.',
      responses: { 200: { description: 'The token', schema: introspectionSchema } },
      errors: ['OAUTH_INVALID_REQUEST', 'OAUTH_INVALID_CLIENT'],
      handle: async ({ body }, context) => {
        const { client } = requireConfidential(await authenticate(deps, body, context));
        const data = await introspect(deps, client, requireParameter(body.token, 'token'));
        return { status: 200, data };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/oauth/revoke',
      summary: 'Revoke a token',
      description: 'A refresh token ends its whole login; an access token ends itself. An unknown token is no error.',
      responses: { 200: { description: 'The token is revoked', schema: z.object({}) } },
      errors: ['OAUTH_INVALID_REQUEST', 'OAUTH_INVALID_CLIENT', 'OAUTH_UNAUTHORIZED_CLIENT'],
      handle: async ({ body }, context) => {
        const { client } = await authenticate(deps, body, context);
        await revoke(deps, client, requireParameter(body.token, 'token'), context);
        return { status: 200, data: {} };
      },
    }),
  ];
}

function authenticate(deps: IdentityDeps, body: Body, context: RouteContext): Promise<AuthenticatedClient> {
  return authenticateClient(deps, {
    authorization: context.headers.authorization,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    address: context.address,
  });
}

async function revoke(deps: IdentityDeps, client: ClientRecord, token: string, context: RouteContext): Promise<void> {
  const options = { actor: client.clientId, reason: 'given up by its client' };
  const refresh = readRefreshToken(deps.tokens, token);
  if (refresh !== null) {
    const grant = await deps.grants.find(refresh.grantId);
    if (grant === null) return;
    requireOwn(client, grant.clientId);
    await revokeGrant(deps, context, grant.id, options);
    return;
  }
  const claims = await findOwnToken(deps, token);
  if (claims === null) return;
  requireOwn(client, claims.client_id);
  await revokeToken(deps, context, claims, options);
}

/** RFC 7009, 2.1: a client gives up its own tokens, and is told when it tries another's. */
function requireOwn(client: ClientRecord, owner: string): void {
  if (owner === client.clientId) return;
  throw new FairleadError('OAUTH_UNAUTHORIZED_CLIENT', 'The token was issued to another client');
}
