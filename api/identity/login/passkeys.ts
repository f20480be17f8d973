import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { FairleadError } from '../../../domain/errors.ts';
import type { Passkey, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { takeChallenge } from './passkey-challenge.ts';
import { parseAssertion, parseAttestation } from './passkey-schema.ts';

/**
 * WebAuthn Level 3 with the issuer's host as relying party. User verification is always required, so that a passkey is
 * two factors in one: it may begin a login as well as complete one.
 */
export const MAX_PASSKEYS = 20;

/** COSE numbers of Ed25519, ECDSA with P-256, and RSA: what authenticators in use can do. */
const ALGORITHMS = [-8, -7, -257];

type Deps = Pick<IdentityDeps, 'users' | 'attempts' | 'tokens' | 'now' | 'settings' | 'log'>;

function relyingParty({ settings }: Pick<IdentityDeps, 'settings'>): { rpID: string; origin: string } {
  const { hostname, origin } = new URL(settings.issuer);
  return { rpID: hostname, origin };
}

/** Options for `navigator.credentials.get`. @param user null when the passkey is to tell who it is */
export async function passkeyLoginOptions(deps: Deps, user: UserRecord | null, challenge: string) {
  return generateAuthenticationOptions({
    rpID: relyingParty(deps).rpID,
    challenge: Buffer.from(challenge, 'base64url') as Uint8Array<ArrayBuffer>,
    userVerification: 'required',
    ...(user === null ? {} : { allowCredentials: user.passkeys.map(descriptor) }),
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

/** Options for `navigator.credentials.create`. */
export async function passkeyRegistrationOptions(deps: Deps, user: UserRecord, challenge: string) {
  return generateRegistrationOptions({
    rpName: deps.settings.platformName,
    rpID: relyingParty(deps).rpID,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    userDisplayName: `${user.firstName} ${user.lastName}`.trim(),
    challenge: Buffer.from(challenge, 'base64url') as Uint8Array<ArrayBuffer>,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: user.passkeys.map(descriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Checks a new credential and adds it. @throws VALIDATION_FAILED for a wrong one, or when there are too many */
export async function registerPasskey(
  deps: Deps,
  context: RouteContext,
  user: UserRecord,
  registration: { purpose: string; credential: string; name: string },
): Promise<Passkey> {
  const attestation = parseAttestation(registration.credential);
  const challenge = await takeChallenge(deps, context, registration.purpose);
  const passkey =
    attestation === null || challenge === null
      ? null
      : await verifiedPasskey(deps, attestation, challenge, registration.name);
  if (passkey === null) throw new FairleadError('VALIDATION_FAILED', 'The passkey could not be added; try once more');
  if (user.passkeys.length >= MAX_PASSKEYS || !(await deps.users.addPasskey(user.id, passkey))) {
    throw new FairleadError('VALIDATION_FAILED', 'This passkey is there already, or there are too many');
  }
  return passkey;
}

async function verifiedPasskey(
  deps: Deps,
  response: RegistrationResponseJSON,
  expectedChallenge: string,
  name: string,
): Promise<Passkey | null> {
  const { rpID, origin } = relyingParty(deps);
  try {
    const result = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!result.verified) return null;
    const { id, publicKey, counter } = result.registrationInfo.credential;
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: response.response.transports ?? [],
      name,
      createdAt: deps.now(),
      lastUsedAt: null,
    };
  } catch (error) {
    deps.log.info({ err: error }, 'a new passkey was refused');
    return null;
  }
}

function descriptor({ credentialId, transports }: Passkey): { id: string; transports: string[] } {
  return { id: credentialId, transports: [...transports] };
}

function passkeyRefused(): FairleadError {
  return new FairleadError('LOGIN_FAILED', 'This passkey was not accepted; try again, or sign in another way');
}
