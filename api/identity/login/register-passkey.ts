import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { FairleadError } from '../../../domain/errors.ts';
import { factorsSince } from '../../../domain/identity/second-factors.ts';
import type { Passkey, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { takeChallenge } from './passkey-challenge.ts';
import { parseAttestation } from './passkey-schema.ts';
import { passkeyDescriptor, relyingParty } from './relying-party.ts';
import { loadWebAuthn } from './webauthn.ts';

export const MAX_PASSKEYS = 20;

/** COSE numbers of Ed25519, ECDSA with P-256, and RSA: what authenticators in use can do. */
const ALGORITHMS = [-8, -7, -257];

type Deps = Pick<IdentityDeps, 'users' | 'attempts' | 'tokens' | 'now' | 'settings' | 'log'>;

/** Options for `navigator.credentials.create`. */
export async function passkeyRegistrationOptions(deps: Deps, user: UserRecord, challenge: string) {
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: deps.settings.platformName,
    rpID: relyingParty(deps).rpID,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    userDisplayName: `${user.firstName} ${user.lastName}`.trim(),
    challenge: Buffer.from(challenge, 'base64url') as Uint8Array<ArrayBuffer>,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: user.passkeys.map(passkeyDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Checks a new credential and adds it. @throws VALIDATION_FAILED for a wrong one, or when there are too many */
export async function registerPasskey(
  deps: Deps,
  context: RouteContext,
  user: UserRecord,
  registration: {
    readonly purpose: string;
    readonly credential: string;
    readonly name: string;
    /** Called with the id of the credential before it is added. */
    tell(credentialId: string): Promise<void>;
  },
): Promise<Passkey> {
  const attestation = parseAttestation(registration.credential);
  const challenge = await takeChallenge(deps, context, registration.purpose);
  const verified =
    attestation === null || challenge === null
      ? null
      : await verifiedPasskey(deps, attestation, challenge, registration.name);
  if (verified === null) throw new FairleadError('VALIDATION_FAILED', 'The passkey could not be added; try once more');
  const passkey = { ...verified, since: factorsSince(user) ?? verified.createdAt };
  if (user.passkeys.length >= MAX_PASSKEYS) throw refused();
  await registration.tell(passkey.credentialId);
  if (!(await deps.users.addPasskey(user.id, passkey, user.passwordVersion))) throw refused();
  return passkey;
}

function refused(): FairleadError {
  return new FairleadError('VALIDATION_FAILED', 'This passkey is there already, or there are too many');
}

async function verifiedPasskey(
  deps: Deps,
  response: RegistrationResponseJSON,
  expectedChallenge: string,
  name: string,
): Promise<Omit<Passkey, 'since'> | null> {
  const { rpID, origin } = relyingParty(deps);
  const { verifyRegistrationResponse } = await loadWebAuthn();
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
