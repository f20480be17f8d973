import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { FairleadError } from '../../../domain/errors.ts';
import type { Passkey, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { takeChallenge } from './passkey-challenge.ts';
import { parseAssertion } from './passkey-schema.ts';
import { passkeyDescriptor, relyingParty } from './relying-party.ts';
import { loadWebAuthn } from './webauthn.ts';

type Deps = Pick<IdentityDeps, 'users' | 'attempts' | 'tokens' | 'now' | 'settings' | 'log'>;

/** Options for `navigator.credentials.get`. @param user null when the passkey is to tell who it is */
export async function passkeyLoginOptions(deps: Deps, user: UserRecord | null, challenge: string) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: relyingParty(deps).rpID,
    challenge: Buffer.from(challenge, 'base64url') as Uint8Array<ArrayBuffer>,
    userVerification: 'required',
    ...(user === null ? {} : { allowCredentials: user.passkeys.map(passkeyDescriptor) }),
  });
}

/**
 * Checks an assertion and records the use.
 * @param purpose what its challenge was made for; see passkey-challenge.ts
 * @param expected whose passkey it must be; null for anybody's
 * @throws LOGIN_FAILED for anything wrong with it, a suspended owner included
 */
export async function takePasskey(
  deps: Deps,
  context: RouteContext,
  purpose: string,
  credential: string,
  expected: UserRecord | null,
): Promise<UserRecord> {
  const assertion = parseAssertion(credential);
  const challenge = await takeChallenge(deps, context, purpose);
  if (assertion === null || challenge === null) throw passkeyRefused();
  const user = await deps.users.findByPasskey(assertion.id);
  const passkey = user?.passkeys.find(({ credentialId }) => credentialId === assertion.id);
  if (!user || !passkey || user.suspendedAt !== null) throw passkeyRefused();
  if (expected !== null && expected.id !== user.id) throw passkeyRefused();
  const counter = await verifiedCounter(deps, assertion, passkey, challenge);
  if (counter === null || !(await deps.users.usePasskey(user.id, passkey.credentialId, counter, deps.now()))) {
    throw passkeyRefused();
  }
  return user;
}

async function verifiedCounter(
  deps: Deps,
  response: AuthenticationResponseJSON,
  passkey: Passkey,
  expectedChallenge: string,
): Promise<number | null> {
  const { rpID, origin } = relyingParty(deps);
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: Buffer.from(passkey.publicKey, 'base64url') as Uint8Array<ArrayBuffer>,
        // Our store compares the counter in the write that records it, so that of two at once one is refused.
        counter: 0,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch (error) {
    // The library throws for whatever does not match; what exactly is for the log.
    deps.log.info({ err: error }, 'a passkey was refused');
    return null;
  }
}

function passkeyRefused(): FairleadError {
  return new FairleadError('LOGIN_FAILED', 'This passkey was not accepted; try again, or sign in another way');
}
