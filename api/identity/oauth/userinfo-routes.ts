import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { profileClaims } from '../../../domain/identity/build-claims.ts';
import { isServiceToken } from '../../../domain/identity/claims.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { bearerToken, findOwnToken } from './own-token.ts';
import { parseScopes } from './resolve-scopes.ts';

/** OpenID Connect Core, 5.1: what the granted scopes show. */
const userinfoSchema = z.object({
  sub: z.string(),
  name: z.string().optional(),
  given_name: z.string().optional(),
  family_name: z.string().optional(),
  picture: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

/** The UserInfo endpoint (OpenID Connect Core, 5.3), which standard clients call with the access token they got. */
export function userinfoRoutes(deps: IdentityDeps): readonly Route[] {
  const shared = {
    path: '/api/oauth/userinfo',
    summary: 'Who the person of an access token is',
    description: 'Takes an access token with the scope openid as a Bearer header, whatever its audience.',
    tag: 'oauth',
    callers: 'public',
    replies: 'oauth',
    responses: { 200: { description: 'The person', schema: userinfoSchema } },
    errors: ['OAUTH_INVALID_TOKEN', 'FORBIDDEN'],
    handle: async (_input: unknown, context: RouteContext) => ({ status: 200, data: await userinfo(deps, context) }),
  } as const;
  return [
    defineRoute({ ...shared, method: 'get', crossOrigin: { headers: ['authorization'] } }),
    defineRoute({ ...shared, method: 'post', body: z.object({}), bodyTypes: ['json', 'form'] }),
  ];
}

async function userinfo(deps: IdentityDeps, context: RouteContext): Promise<z.output<typeof userinfoSchema>> {
  // Who has the token may know; no cookie counts here, so it does not matter whose page asks.
  if (context.origin !== null) context.allowOrigin(context.origin);
  const token = bearerToken(context.headers.authorization);
  const claims = token === null ? null : await findOwnToken(deps, token);
  if (claims === null) throw invalidToken();
  const scopes = parseScopes(claims.scope);
  if (isServiceToken(claims) || !scopes.includes('openid')) {
    throw new FairleadError('FORBIDDEN', "This needs a person's access token with the scope openid");
  }
  const user = await deps.users.find(claims.sub);
  if (user === null || user.suspendedAt !== null) throw invalidToken();
  return { sub: user.id, ...profileClaims(user, scopes) };
}

function invalidToken(): FairleadError {
  return new FairleadError('OAUTH_INVALID_TOKEN', 'The access token is missing, expired, revoked or not valid');
}
