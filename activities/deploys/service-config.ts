import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { openVariables, variablesIn } from '../../domain/config/service-variables.ts';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

/**
 * The variables of a service as a release keeps them: secrets sealed for its environment, so that nobody who can write to
 * the database makes one environment use what another one had. @throws INTERNAL without the key
 */
export function variablesForRelease(
  { cipher }: Pick<DeploysDeps, 'cipher'>,
  target: DeployTarget,
  service: ServiceRecord,
): Pick<Release, 'config' | 'secrets'> {
  const { config, secrets } = openVariables(cipher, target, variablesIn(service, target.environment));
  const sealed = Object.entries(secrets).map(([key, value]) => [key, seal(cipher, target, key, value)] as const);
  return { config, secrets: Object.fromEntries(sealed) };
}

function seal(cipher: DeploysDeps['cipher'], { service, environment }: DeployTarget, key: string, value: string) {
  if (cipher === null) throw new FairleadError('INTERNAL', `Set CONFIG_ENCRYPTION_KEY: ${service} has secrets.`);
  return cipher.seal(value, { service, environment, key });
}

/** Values for the build-time env file: config merged over decrypted secrets, only the names the catalog lists (spec 2, step 5). */
export function buildTimeVariables(
  deps: Pick<DeploysDeps, 'cipher'>,
  service: ServiceRecord,
  { catalog, environment }: { readonly catalog: Catalog; readonly environment: Environment },
): Record<string, string> {
  const target = { service: service.name, environment };
  const { config, secrets } = openVariables(deps.cipher, target, variablesIn(service, environment));
  const values = { ...secrets, ...config };
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
