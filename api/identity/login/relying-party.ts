import type { Passkey } from '../../../domain/identity/user.ts';
import type { IdentityDeps } from '../deps.ts';

/**
 * WebAuthn Level 3 with the issuer's host as relying party. User verification is always required, so that a passkey is
 * two factors in one: it may begin a login as well as complete one.
 */
export function relyingParty({ settings }: Pick<IdentityDeps, 'settings'>): { rpID: string; origin: string } {
  const { hostname, origin } = new URL(settings.issuer);
  return { rpID: hostname, origin };
}

/** A passkey as options name it. */
export function passkeyDescriptor({ credentialId, transports }: Passkey): { id: string; transports: string[] } {
  return { id: credentialId, transports: [...transports] };
}
