import { decodeJwt, errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { ACCESS_TOKEN_TYPE, accessTokenClaimsSchema, SIGNING_ALGORITHM } from '../../domain/identity/claims.ts';
import type { PublicKey } from './key-set.ts';
import type { SigningKeys } from './signing-keys.ts';
import { type FairleadUser, userOfClaims } from './user.ts';

const SKEW_SECONDS = 5;
/** Far beyond any token of ours, whose list claims are bounded. */
const MAX_TOKEN_LENGTH = 16_384;
const MAX_KID_LENGTH = 128;

/** A token that was found good, and the key it was found good by. */
export interface VerifiedToken {
  readonly user: FairleadUser;
  readonly kid: string;
  readonly key: PublicKey;
}

/** Why a token is refused, for the code of a caller; people get the message. */
const REASONS = {
  missing: 'There is no token: send one as Authorization: Bearer, or in the cookie bd-token',
  malformed: 'The token is malformed',
  'unknown-key': 'The token was signed by a key that the identity provider does not publish',
  signature: 'The signature of the token is not valid',
  type: 'The token is not an access token',
  issuer: 'The token has another issuer',
  audience: 'The token is for another service',
  expired: 'The token has expired',
  'not-yet-valid': 'The token is not valid yet',
  claims: 'The token lacks claims that every access token has',
  revoked: 'The token was revoked',
} as const;

export type RefusalReason = keyof typeof REASONS;

/** The error for a token that is not good, or not there. */
export function refusal(reason: RefusalReason, cause?: unknown): FairleadError {
  return new FairleadError('UNAUTHORIZED', REASONS[reason], { details: { reason }, cause });
}

/** The user of a token that was verified before: its claims once more, without the checks. */
export function readVerified(token: string): FairleadUser {
  return userOfClaims(accessTokenClaimsSchema.parse(decodeJwt(token)));
}

export function isExpired(user: FairleadUser, clock: Clock): boolean {
  return user.expiresAt.getTime() + SKEW_SECONDS * 1000 <= clock().getTime();
}

/** The check of one token without any cache: signature, then header and claims. @throws UNAUTHORIZED, UNAVAILABLE */
export function createTokenCheck(options: {
  issuer: string;
  audience: string;
  keys: SigningKeys;
  clock: Clock;
}): (token: string) => Promise<VerifiedToken> {
  const { issuer, audience, keys, clock } = options;
  const rules: JWTVerifyOptions = {
    algorithms: [SIGNING_ALGORITHM],
    typ: ACCESS_TOKEN_TYPE,
    issuer,
    audience,
    clockTolerance: SKEW_SECONDS,
  };
  const keyOf = async ({ kid }: { kid?: string }): Promise<PublicKey> => {
    if (typeof kid !== 'string' || kid.length === 0 || kid.length > MAX_KID_LENGTH) throw refusal('unknown-key');
    const key = keys.known(kid) ?? (await keys.find(kid));
    if (key === null) throw refusal('unknown-key');
    return key;
  };
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) throw refusal('malformed');
    try {
      const { payload, protectedHeader, key } = await jwtVerify(token, keyOf, { ...rules, currentDate: clock() });
      // The schema holds that every claim is there which must be, `exp` and `jti` among them.
      return { user: userOfClaims(accessTokenClaimsSchema.parse(payload)), kid: protectedHeader.kid ?? '', key };
    } catch (error) {
      throw error instanceof FairleadError ? error : refusal(reasonOf(error), error);
    }
  };
}

const CLAIM_REASONS: Readonly<Record<string, RefusalReason>> = {
  iss: 'issuer',
  aud: 'audience',
  typ: 'type',
  nbf: 'not-yet-valid',
};

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIM_REASONS[error.claim] ?? 'claims';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEError) return 'malformed';
  return 'claims';
}
