import { FairleadError } from '../../../domain/errors.ts';
import { type ClientRecord, GRANT_TYPES, type GrantType } from '../../../domain/oauth-clients/client.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import { sendJson } from '../../http/send-json.ts';
import type { IdentityDeps } from '../deps.ts';
import { type TokenReply, tokenReplySchema } from '../tokens/token-reply.ts';
import { authenticateClient } from './authenticate-client.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { deviceCode } from './grants/device-code.ts';
import { refreshToken } from './grants/refresh-token.ts';
import { tokenExchange } from './grants/token-exchange.ts';
import { type GrantHandler, requireParameter, type TokenParameters, tokenRequestSchema } from './token-request.ts';

/** What each grant does. */
const GRANTS: Readonly<Record<GrantType, GrantHandler>> = {
  client_credentials: clientCredentials,
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCode,
  'urn:ietf:params:oauth:grant-type:token-exchange': tokenExchange,
};

/** The token endpoint (RFC 6749, 3.2; spec 1, "Identity provider"), which takes JSON and forms. */
export function tokenRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/oauth/token',
      summary: 'Get tokens',
      description: `Grants: ${GRANT_TYPES.join(', ')}. The client authenticates with Basic, or with client_id and client_secret in the body; a public client sends its client_id alone.`,
      tag: 'oauth',
      callers: 'public',
      body: tokenRequestSchema,
      bodyTypes: ['json', 'form'],
      replies: 'oauth',
      responses: { 200: { description: 'Tokens', schema: tokenReplySchema } },
      errors: [
        'OAUTH_INVALID_REQUEST',
        'OAUTH_INVALID_CLIENT',
        'OAUTH_INVALID_GRANT',
        'OAUTH_UNAUTHORIZED_CLIENT',
        'OAUTH_UNSUPPORTED_GRANT_TYPE',
        'OAUTH_INVALID_SCOPE',
        'OAUTH_INVALID_TARGET',
        'OAUTH_AUTHORIZATION_PENDING',
        'OAUTH_SLOW_DOWN',
        'OAUTH_EXPIRED_TOKEN',
        'OAUTH_ACCESS_DENIED',
      ],
      handle: async ({ body }, context) => {
        const data = await requestTokens(deps, body, context);
        return async (response) => {
          // For caches of HTTP/1.0 (RFC 6749, 5.1); `Cache-Control: no-store` is on every reply.
          response.setHeader('Pragma', 'no-cache');
          sendJson(response, 200, data);
        };
      },
    }),
  ];
}

async function requestTokens(
  deps: IdentityDeps,
  parameters: TokenParameters,
  context: RouteContext,
): Promise<TokenReply> {
  const grantType = requireParameter(parameters.grant_type, 'grant_type');
  if (!isGrantType(grantType)) {
    throw new FairleadError('OAUTH_UNSUPPORTED_GRANT_TYPE', `grant_type: one of ${GRANT_TYPES.join(', ')}`);
  }
  const { client, askedAt } = await authenticateClient(deps, {
    authorization: context.headers.authorization,
    clientId: parameters.client_id,
    clientSecret: parameters.client_secret,
    address: context.address,
  });
  allowOwnPages(client, context);
  const confidentialOnly = grantType === 'client_credentials' && client.clientType === 'public';
  if (!client.allowedGrantTypes.includes(grantType) || confidentialOnly) {
    throw new FairleadError('OAUTH_UNAUTHORIZED_CLIENT', `This client was not granted ${grantType}`);
  }
  return GRANTS[grantType](deps, { client, issuedAt: askedAt, parameters, context });
}

/**
 * Lets the pages of a public client that runs in the browser read the reply: those of the origins its codes go to. A
 * client with a secret asks from its server.
 */
function allowOwnPages(client: ClientRecord, { origin, allowOrigin }: RouteContext): void {
  if (origin === null || client.clientType !== 'public') return;
  const own = client.redirectUris.map((uri) => new URL(uri).origin);
  // `null` is the origin of sandboxed pages, and what addresses without a host seem to have.
  if (origin !== 'null' && own.includes(origin)) allowOrigin(origin);
}

function isGrantType(text: string): text is GrantType {
  return (GRANT_TYPES as readonly string[]).includes(text);
}
