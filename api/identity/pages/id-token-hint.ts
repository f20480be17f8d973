import { createLocalJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';
import { SIGNING_ALGORITHM } from '../../../domain/identity/claims.ts';
import type { IdentityDeps } from '../deps.ts';

const claimsSchema = z.object({
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  sid: z.string().optional(),
});

/** Whom a client means, by an ID token it was issued. */
export interface IdTokenHint {
  readonly clientId: string;
  readonly userId: string;
  readonly sessionId: string | null;
}

/**
 * Reads one of our ID tokens, expired or not: a client keeps it for as long as it likes (OpenID Connect Core, 3.1.2.1;
 * RP-Initiated Logout, 2). Null for anything we did not sign with a key we still know, and for access tokens.
 */
export async function readIdTokenHint(
  deps: Pick<IdentityDeps, 'signer' | 'settings'>,
  token: string,
): Promise<IdTokenHint | null> {
  try {
    const keys = createLocalJWKSet({ keys: [...(await deps.signer.publicKeys())] });
    const { payload } = await jwtVerify(token, keys, {
      issuer: deps.settings.issuer,
      algorithms: [SIGNING_ALGORITHM],
      typ: 'JWT',
      // Its lifetime does not matter: as old as time is allowed.
      clockTolerance: Number.MAX_SAFE_INTEGER,
    });
    const { sub, aud, sid } = claimsSchema.parse(payload);
    const clientId = typeof aud === 'string' ? aud : aud[0];
    return clientId === undefined ? null : { clientId, userId: sub, sessionId: sid ?? null };
  } catch {
    // A hint that cannot be used tells nothing: the person is asked instead.
    return null;
  }
}
