import { addSeconds, LONGEST_TOKEN_SECONDS } from '../../../domain/identity/token-lifetimes.ts';
import type { IdentityDeps } from '../deps.ts';

/**
 * Voids the access tokens a person has, and leaves their logins: the next refresh brings a token that tells what they
 * may do now. For rights that were taken away; those given wait for the next token.
 */
export async function voidAccessTokens(deps: Pick<IdentityDeps, 'revocations' | 'now'>, userId: string): Promise<void> {
  const now = deps.now();
  const expiresAt = addSeconds(now, LONGEST_TOKEN_SECONDS);
  await deps.revocations.add({ kind: 'user', value: userId, issuedUntil: now, revokedAt: now, expiresAt });
}
