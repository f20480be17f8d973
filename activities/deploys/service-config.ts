import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SecretCipher, SecretContext } from '../../domain/config/ports.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import type { DeployTarget } from '../../domain/deploys/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

type Secrets = Readonly<Record<string, SealedSecret>>;

/** Where secrets are kept: with a service for all its environments, or with a release for the one it is of. */
type SecretsOwner = Omit<SecretContext, 'key'>;

/** Opens sealed variables; the plaintext stays in memory where it is used. @throws INTERNAL without the key. */
export function openSecrets(
  deps: Pick<DeploysDeps, 'cipher'>,
  owner: SecretsOwner,
  secrets: Secrets,
): Record<string, string> {
  const names = Object.keys(secrets);
  if (names.length === 0) return {};
  const cipher = secretsCipher(deps, owner);
  return Object.fromEntries(
    Object.entries(secrets).map(([key, secret]) => [key, cipher.open(secret, { ...owner, key })]),
  );
}

/**
 * The secrets of a service as a release keeps them: sealed for its environment, so that nobody who can write to the
 * database makes one environment use what another one had. @throws INTERNAL without the key
 */
export function sealForRelease(
  deps: Pick<DeploysDeps, 'cipher'>,
  { service, environment }: DeployTarget,
  secrets: Secrets,
): Record<string, SealedSecret> {
  const values = Object.entries(openSecrets(deps, { service }, secrets));
  if (values.length === 0) return {};
  const cipher = secretsCipher(deps, { service });
  return Object.fromEntries(values.map(([key, value]) => [key, cipher.seal(value, { service, environment, key })]));
}

function secretsCipher({ cipher }: Pick<DeploysDeps, 'cipher'>, { service }: SecretsOwner): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError('INTERNAL', `Set CONFIG_ENCRYPTION_KEY on the worker: ${service} has secrets to decrypt.`);
}

/** Values for the build-time env file: config merged over decrypted secrets, only the names the catalog lists (spec 2, step 5). */
export function buildTimeVariables(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: ServiceRecord,
  catalog: Catalog,
): Record<string, string> {
  const values = { ...openSecrets(deps, { service: service.name }, service.secrets), ...service.config };
  const listed = catalog.buildEnvVars.flatMap((key) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(listed);
}

/** Declared defaults, the lowest priority of all variables (spec 2, step 7). */
export function declaredDefaults(catalog: Catalog): Record<string, string> {
  const withDefault = catalog.config.flatMap((entry) =>
    entry.default === null ? [] : [[entry.key, entry.default] as const],
  );
  return Object.fromEntries(withDefault);
}
