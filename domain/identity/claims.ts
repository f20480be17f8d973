import { z } from 'zod';

/** `typ` of access tokens (RFC 9068, 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** The one algorithm there is (spec 1, A 5). */
export const SIGNING_ALGORITHM = 'RS256';

const text = z.string().min(1).max(512);
const list = z.array(text).max(200);

/**
 * Claims of an access token (spec 1, "Access-token claims"; RFC 9068). Always there: who issued it, for whom, for which
 * audience, until when, and under which id it can be revoked.
 */
export const accessTokenClaimsSchema = z.looseObject({
  iss: text,
  /** User id, or the client id on service tokens. */
  sub: text,
  aud: z.union([text, list.min(1)]),
  exp: z.int(),
  iat: z.int(),
  jti: text,
  client_id: text,
  scope: z.string().max(4_096).default(''),
  /** The same as `sub`, on tokens of people. */
  identityId: text.optional(),
  email: text.optional(),
  /** Whether the person has shown that they read the mail of `email`; on tokens of people. */
  email_verified: z.boolean().optional(),
  /** Primary org of the person, or owning org of the client. */
  orgSlug: text.optional(),
  /** Platform roles alone. */
  roles: list.default([]),
  /** Roles in `orgSlug`; never platform roles. */
  orgRoles: list.default([]),
  /** `client_credentials` on service tokens. */
  token_type: text.optional(),
  /** Grant and browser session it came from. */
  gid: text.optional(),
  sid: text.optional(),
  auth_time: z.int().optional(),
  amr: list.optional(),
  act: z.looseObject({ sub: text.optional(), by: text.optional() }).optional(),
  persona: z.literal(true).optional(),
});

export type AccessTokenClaims = z.infer<typeof accessTokenClaimsSchema>;

/**
 * True for a token that a service got for itself (`client_credentials`), which speaks for no person. A token that does not
 * say whose it is counts as one of these: they have no roles, whatever else stands in them.
 */
export function isServiceToken(claims: AccessTokenClaims): boolean {
  const { token_type: type, identityId, sub, client_id: clientId } = claims;
  return type === 'client_credentials' || identityId === undefined || sub === clientId;
}
