import { z } from 'zod';
import { type GrantRecord, REFRESH_GRACE_SECONDS } from '../../../../domain/identity/login.ts';
import { addSeconds } from '../../../../domain/identity/token-lifetimes.ts';
import type { IdentityDeps } from '../../deps.ts';
import { finishEnding } from '../../login/end-logins.ts';
import { revokeGrant } from '../../revocation/revoke.ts';
import { momentAfterRevocation } from '../../tokens/moment-after-revocation.ts';
import { readRefreshToken } from '../../tokens/refresh-token.ts';
import { requireSignIn } from '../../tokens/require-sign-in.ts';
import { signPersonTokens } from '../../tokens/sign-tokens.ts';
import { findTokenPerson } from '../../tokens/token-person.ts';
import { type TokenReply, tokenReplySchema } from '../../tokens/token-reply.ts';
import { narrowAudience, requestedAudience } from '../resolve-audience.ts';
import { narrowScopes } from '../resolve-scopes.ts';
import { type GrantHandler, invalidGrant, requireParameter, type TokenRequest } from '../token-request.ts';

/**
 * Refreshes a login with rotation (RFC 6749, 6; RFC 9700, 4.14): the token presented stops working and a new one comes
 * with the reply. Of many requests with the same token at once one makes the new pair, and all get that pair, as does
 * who repeats the request within the grace because the reply was lost. Any later use of an old token ends the login.
 */
export const refreshToken: GrantHandler = async (deps, request) => {
  const presented = readRefreshToken(deps.tokens, requireParameter(request.parameters.refresh_token, 'refresh_token'));
  if (presented === null) throw refreshInvalid();
  const grant = await findGrant(deps, request, presented.grantId);
  if (presented.generation === grant.generation) {
    const reply = await rotate(deps, request, grant);
    if (reply !== null) return reply;
    // Another request with the same token was faster.
    return repeat(deps, request, await findGrant(deps, request, presented.grantId), presented.generation);
  }
  return repeat(deps, request, grant, presented.generation);
};

/** @throws OAUTH_INVALID_GRANT for a login that ended, or belongs to another client */
async function findGrant(deps: IdentityDeps, { client }: TokenRequest, grantId: string): Promise<GrantRecord> {
  const grant = await deps.grants.find(grantId);
  const lives = grant !== null && grant.revokedAt === null && grant.expiresAt > deps.now();
  if (!lives || grant.clientId !== client.clientId) throw refreshInvalid();
  return grant;
}

/** Makes the next pair; null when the grant has moved on meanwhile. */
async function rotate(
  deps: IdentityDeps,
  { client: known, issuedAt: askedAt, parameters }: TokenRequest,
  grant: GrantRecord,
): Promise<TokenReply | null> {
  const issuedAt = await momentAfterRevocation(deps, { sub: grant.userId, client_id: known.clientId }, askedAt);
  // What was revoked meanwhile may be what the client itself may do, or who may sign in to it: it was read before.
  const client = issuedAt === askedAt ? known : await deps.clients.find(known.clientId);
  if (client === null || !client.allowedGrantTypes.includes('refresh_token')) throw refreshInvalid();
  // What the client was refused since the login is not given again.
  const granted = grant.scopes.filter((scope) => client.allowedScopes.includes(scope));
  const scopes = narrowScopes(granted, parameters.scope);
  const requested = requestedAudience(parameters);
  const audience = requested.length === 0 ? grant.audience : narrowAudience(grant.audience, requested);
  const person = await findTokenPerson(deps, grant.userId, grant);
  if (person === null) throw refreshInvalid();
  // The grant may be of those that end: then it is not moved on.
  await finishEnding(deps, person.user);
  await requireSignIn(deps, client, { userId: grant.userId, login: grant, code: 'OAUTH_INVALID_GRANT' });
  const generation = grant.generation + 1;
  const reply = await signPersonTokens(deps, {
    person,
    client,
    grant,
    scopes,
    audience,
    issuedAt,
    generation,
    nonce: null,
  });
  const lastReply = {
    sealed: deps.cipher.seal(JSON.stringify(reply), sealContext(grant.id, generation)),
    graceUntil: addSeconds(issuedAt, REFRESH_GRACE_SECONDS),
  };
  return (await deps.grants.rotate(grant.id, grant.generation, lastReply, issuedAt)) ? reply : null;
}

/** The same reply again for the generation just before, within the grace; the end of the login for any other. */
async function repeat(
  deps: IdentityDeps,
  { client, context }: TokenRequest,
  grant: GrantRecord,
  generation: number,
): Promise<TokenReply> {
  const { lastReply } = grant;
  if (generation === grant.generation - 1 && lastReply !== null && deps.now() < lastReply.graceUntil) {
    return openReply(deps.cipher.open(lastReply.sealed, sealContext(grant.id, grant.generation)));
  }
  await revokeGrant(deps, context, grant.id, { actor: client.clientId, reason: 'refresh token used again' });
  throw refreshInvalid();
}

const storedReplySchema = z.string().transform((text) => tokenReplySchema.parse(JSON.parse(text)));

function openReply(text: string): TokenReply {
  return storedReplySchema.parse(text);
}

function sealContext(grantId: string, generation: number): { service: string; key: string } {
  return { service: 'identity/refresh-reply', key: `${grantId}.${generation}` };
}

function refreshInvalid() {
  return invalidGrant('The refresh token was already used, has expired, was revoked, or never existed; log in again');
}
