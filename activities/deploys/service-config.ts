import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

/** Opens sealed variables; the plaintext stays in memory where it is used. @throws INTERNAL without the key. */
export function openSecrets(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: string,
  secrets: Readonly<Record<string, SealedSecret>>,
): Record<string, string> {
  const names = Object.keys(secrets);
  if (names.length === 0) return {};
  const { cipher } = deps;
  if (cipher === null) {
    throw new FairleadError('INTERNAL', `Set CONFIG_ENCRYPTION_KEY on the worker: ${service} has secrets to decrypt.`);
  }
  return Object.fromEntries(
    Object.entries(secrets).map(([key, secret]) => [key, cipher.open(secret, { service, key })]),
  );
}

/** Values for the build-time env file: config merged over decrypted secrets, only the names the catalog lists (spec 2, step 5). */
export function buildTimeVariables(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: ServiceRecord,
  catalog: Catalog,
): Record<string, string> {
  const values = { ...openSecrets(deps, service.name, service.secrets), ...service.config };
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
