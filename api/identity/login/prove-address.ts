import type { UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { storePassword } from './set-password.ts';

/**
 * Takes note that somebody reads the mail of their address, the first time they show it. Until then anybody may have
 * made the account in their name, waiting for them to use it: so the password and second factors set before are void,
 * and whoever is signed in by them is signed out ("account pre-hijacking").
 * @returns the user as they are now
 * @throws CONFLICT when their password was changed meanwhile
 */
export async function proveAddress(deps: IdentityDeps, context: RouteContext, user: UserRecord): Promise<UserRecord> {
  if (user.emailVerified) return user;
  await audit(deps, context, {
    type: 'user.address_proven',
    actor: user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
  });
  // A password that nobody knows: the person chooses one by a link, as after forgetting it.
  const unknown = user.passwordHash === null ? null : await deps.hasher.hash(deps.tokens.create(''));
  const passwordVersion = unknown === null ? user.passwordVersion : await storePassword(deps, context, user, unknown);
  if (user.totp !== null) await deps.users.setTotp(user.id, null);
  for (const { credentialId } of user.passkeys) await deps.users.removePasskey(user.id, credentialId);
  // Last, so that whatever ends in between is begun again with the next link.
  const proven = await deps.users.update(user.id, { emailVerified: true, recoveryCodes: [] });
  // Not the version of now: a password that was set in between ends what this is for.
  return { ...(proven ?? user), passwordVersion };
}
