import type { IdentityDeps } from '../deps.ts';
import { deny } from './deny.ts';

type Deps = Pick<IdentityDeps, 'revocations' | 'databaseTime'>;

/**
 * Voids the access tokens a person has, and leaves their logins: the next refresh brings a token that tells what they
 * may do now. For rights that were taken away; those given wait for the next token. Called after the effect, so that
 * tokens which were issued meanwhile are void, too; who was cut off in between repeats the change, and calls it again.
 */
export function voidAccessTokens(deps: Deps, userId: string): Promise<void> {
  return deny(deps, 'user', userId);
}

/**
 * The same around a change that cannot be repeated: before it as well, so that a process which ends in between leaves no
 * older token. What may refuse the change comes first: a refusal voids nothing.
 */
export async function voidingAccessTokens<T>(deps: Deps, userId: string, takeAway: () => Promise<T>): Promise<T> {
  await voidAccessTokens(deps, userId);
  const result = await takeAway();
  await voidAccessTokens(deps, userId);
  return result;
}
