import type { OAuthCredential, ServiceRecord } from '../../domain/catalog/service.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

/** The secret is sealed for one service and environment, so that it opens for no other. */
const contextOf = (service: string, environment: Environment) => ({ service, key: `IDP_CLIENT_SECRET/${environment}` });

/** Seals a client secret for the service record. @throws INTERNAL without CONFIG_ENCRYPTION_KEY */
export function sealCredential(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: string,
  environment: Environment,
  client: { readonly clientId: string; readonly clientSecret: string },
): OAuthCredential {
  const secret = requireCipher(deps.cipher, service).seal(client.clientSecret, contextOf(service, environment));
  return { clientId: client.clientId, secret };
}

/**
 * What the identity provider's clients in a workload read (spec 1, "Variables injected into a service"); empty for a
 * service without a stored credential. @throws INTERNAL when it cannot be opened
 */
export function credentialVariables(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: Pick<ServiceRecord, 'name' | 'oauthCredentials'>,
  environment: Environment,
): { readonly IDP_CLIENT_ID?: string; readonly IDP_CLIENT_SECRET?: string } {
  const credential = service.oauthCredentials[environment];
  if (credential === undefined) return {};
  const cipher = requireCipher(deps.cipher, service.name);
  return {
    IDP_CLIENT_ID: credential.clientId,
    IDP_CLIENT_SECRET: cipher.open(credential.secret, contextOf(service.name, environment)),
  };
}

function requireCipher(cipher: SecretCipher | null, service: string): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError(
    'INTERNAL',
    `Set CONFIG_ENCRYPTION_KEY on the worker: ${service} has a client secret to keep.`,
  );
}
