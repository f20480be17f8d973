import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { openCredential } from '../../domain/oauth-clients/credential.ts';
import type { DeploysDeps } from './deps.ts';

/**
 * What a workload proves itself with at the identity provider (spec 1, "Variables injected into a service"); empty for a
 * service without a stored credential. @throws INTERNAL when it cannot be opened
 */
export function credentialVariables(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: Pick<ServiceRecord, 'name' | 'oauthCredentials'>,
  environment: Environment,
): { readonly IDP_CLIENT_ID?: string; readonly IDP_CLIENT_SECRET?: string } {
  if (service.oauthCredentials[environment] === undefined) return {};
  const credential = openCredential(requireCipher(deps, service.name), service, environment);
  return credential === null ? {} : { IDP_CLIENT_ID: credential.clientId, IDP_CLIENT_SECRET: credential.clientSecret };
}

/** @throws INTERNAL without CONFIG_ENCRYPTION_KEY */
export function requireCipher({ cipher }: Pick<DeploysDeps, 'cipher'>, service: string): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError(
    'INTERNAL',
    `Set CONFIG_ENCRYPTION_KEY on the worker: ${service} has a client secret to store.`,
  );
}
