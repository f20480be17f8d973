import type { OAuthCredential, ServiceRecord } from '../catalog/service.ts';
import type { SecretCipher, SecretContext } from '../config/ports.ts';
import type { Environment } from '../environment.ts';

/**
 * The secret is sealed for one service and environment, so that it opens for no other. The key names the environment
 * once more, because version 1 of the associated data did not have it.
 */
export const credentialContext = (service: string, environment: Environment): SecretContext => ({
  service,
  environment,
  key: `IDP_CLIENT_SECRET/${environment}`,
});

/**
 * The credential that a deploy asks the identity provider for: the same one, in this build or a later one, until it is
 * stored. So a secret whose answer was lost gives way to the next.
 */
export function credentialKey(
  { id, credentialsStored }: Pick<ServiceRecord, 'id' | 'credentialsStored'>,
  environment: Environment,
): string {
  return `${id}/${environment}/${credentialsStored[environment] ?? 0}`;
}

/** Seals a client secret for the record of its service (spec 1, B 4). */
export function sealCredential(
  cipher: SecretCipher,
  service: string,
  environment: Environment,
  client: { readonly clientId: string; readonly clientSecret: string } & Pick<OAuthCredential, 'byHand'>,
): OAuthCredential {
  const secret = cipher.seal(client.clientSecret, credentialContext(service, environment));
  return { clientId: client.clientId, secret, ...(client.byHand && { byHand: client.byHand }) };
}

/** The stored client secret in clear; null when none is stored. @throws INTERNAL when it cannot be opened */
export function openCredential(
  cipher: SecretCipher,
  service: Pick<ServiceRecord, 'name' | 'oauthCredentials'>,
  environment: Environment,
): { readonly clientId: string; readonly clientSecret: string } | null {
  const credential = service.oauthCredentials[environment];
  if (credential === undefined) return null;
  const clientSecret = cipher.open(credential.secret, credentialContext(service.name, environment));
  return { clientId: credential.clientId, clientSecret };
}
