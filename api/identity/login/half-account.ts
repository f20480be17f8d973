import type { UserRecord } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';

/** What makes an account: a client at sign-up, an invitation, or the first start; and the org it is made in. */
export interface AccountMaker {
  /** Id of the client, {@link INVITATION} or {@link FIRST_ADMIN}. */
  readonly id: string;
  readonly orgSlug: string;
}

/** Any invitation into the org: a later one goes on with what an earlier one began. */
export const INVITATION = 'invitation';
export const FIRST_ADMIN = 'first_admin';

/**
 * Fields of an account that is being made. It takes several writes, and a process may be killed between any two. Until the
 * last one the account carries the marker of an account that waits for its first password, with its maker's name: whoever
 * repeats the request goes on with it, and is not told that somebody is there already. A login clears the marker.
 */
export function halfAccount(
  { id: clientId, orgSlug }: AccountMaker,
  passwordHash: string,
  since: Date,
): Pick<UserRecord, 'passwordHash' | 'onboardingPending'> {
  return { passwordHash, onboardingPending: { orgSlug, clientId, since } };
}

/** Whether an account is one that the same maker began and did not finish. Accounts that were provisioned have no password. */
export function isHalfOf(user: UserRecord, { id, orgSlug }: AccountMaker): boolean {
  const { onboardingPending: marker, passwordHash } = user;
  return passwordHash !== null && marker !== null && marker.clientId === id && marker.orgSlug === orgSlug;
}

/**
 * The last write: the password of this request counts, and the marker goes.
 * @returns the account as it is now; null when another request finished it: of many at once one does
 */
export async function finishAccount(
  deps: Pick<IdentityDeps, 'users'>,
  userId: string,
  orgSlug: string,
  passwordHash: string,
): Promise<UserRecord | null> {
  if (!(await deps.users.consumeOnboarding(userId, orgSlug, passwordHash))) return null;
  return deps.users.find(userId);
}
