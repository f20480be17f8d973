import { FairleadError } from '../../../domain/errors.ts';
import type { AccessTokenClaims } from '../../../domain/identity/claims.ts';
import type { IdentityDeps } from '../deps.ts';

/** Claims of an access token of ours that has neither expired nor been revoked; null for anything else. */
export async function findOwnToken(
  deps: Pick<IdentityDeps, 'signer' | 'revocations'>,
  token: string,
): Promise<AccessTokenClaims | null> {
  try {
    const claims = await deps.signer.verifyOwn(token);
    return (await deps.revocations.isRevoked(claims)) ? null : claims;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'OAUTH_INVALID_TOKEN') return null;
    throw error;
  }
}

/** The token of a Bearer header (RFC 6750, 2.1); null when there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
