import type { UserRecord } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';

/**
 * Whether a login may go on that somebody began as `user`: they are not suspended, and no other password was set since.
 * To be asked after what the login makes was written, so that whoever ends it either finds that, or is noticed here.
 */
export async function isUnchanged(
  deps: Pick<IdentityDeps, 'users'>,
  { id, passwordVersion }: Pick<UserRecord, 'id' | 'passwordVersion'>,
): Promise<boolean> {
  const now = await deps.users.find(id);
  return now !== null && now.suspendedAt === null && now.passwordVersion === passwordVersion;
}
