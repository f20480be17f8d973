import { FairleadError } from '../../../domain/errors.ts';
import { normalizePassword, passwordProblem } from '../../../domain/identity/password-rules.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { endEarlierLogins, endLogins } from './end-logins.ts';

/** Hashes a new password. @throws PASSWORD_REFUSED with the reason, before anything was changed. */
export async function hashNewPassword(
  deps: Pick<IdentityDeps, 'hasher'>,
  password: string,
  email: string,
): Promise<string> {
  const problem = passwordProblem(password, email);
  if (problem !== null) throw new FairleadError('PASSWORD_REFUSED', problem);
  return deps.hasher.hash(normalizePassword(password));
}

/** A person as they were when they showed that they may set their password. */
export type PasswordOwner = Pick<UserRecord, 'id' | 'email' | 'primaryOrg' | 'passwordVersion'>;

/**
 * Sets a person's password. Whoever knew the old one is out: open links, and all sessions and logins but those of
 * `keepSession` (the one it is changed in), end. A login that is under way ends itself, since it finds another
 * `passwordVersion` than it began with, and so does another change of the password: the first of two counts. The marker
 * of an account that waits for its first password goes.
 * @throws PASSWORD_REFUSED; CONFLICT when the password was changed since `user` was read
 */
export async function setPassword(
  deps: IdentityDeps,
  context: RouteContext,
  user: PasswordOwner,
  password: string,
  options: { readonly keepSession?: string | undefined } = {},
): Promise<void> {
  await storePassword(deps, context, user, await hashNewPassword(deps, password, user.email), options);
}

/**
 * The same with a hash made by {@link hashNewPassword} before something that works once was taken, or with null, which
 * leaves the person without a password. With `withoutFactors`, second factors and recovery codes go in the same write.
 * @returns the person's `passwordVersion` afterwards
 */
export async function storePassword(
  deps: IdentityDeps,
  context: RouteContext,
  user: PasswordOwner,
  passwordHash: string | null,
  options: { readonly keepSession?: string | undefined; readonly withoutFactors?: boolean } = {},
): Promise<number> {
  const { withoutFactors = false, keepSession = null } = options;
  await audit(deps, context, {
    type: 'user.password_changed',
    actor: context.caller?.name ?? user.id,
    subject: user.id,
    orgSlug: user.primaryOrg,
    data: withoutFactors ? { secondFactors: 'removed' } : {},
  });
  // Before it as well: what was there is ended although the process may end in between. What is begun by the old password
  // meanwhile is ended below or, after a kill, by the next who comes (end-logins.ts).
  await endLogins(deps, context, user.id, keepSession);
  if (!(await deps.users.setPassword(user.id, user.passwordVersion, passwordHash, { withoutFactors, keepSession }))) {
    throw new FairleadError('CONFLICT', 'The password was changed meanwhile; begin again');
  }
  await deps.links.consumeAllOfUser(user.id, deps.now());
  const passwordVersion = user.passwordVersion + 1;
  await endEarlierLogins(deps, context, { id: user.id, passwordVersion }, keepSession);
  return passwordVersion;
}
