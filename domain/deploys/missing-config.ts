import type { Catalog, ConfigDeclaration } from '../catalog/catalog.ts';
import type { EffectiveVariables } from '../config/service-variables.ts';
import { isSensitiveName } from '../logs/sensitive-names.ts';

/** Nothing is set of a service that is not here yet. */
export const NO_VARIABLES: EffectiveVariables = { config: {}, secrets: {}, ownSecrets: {} };

/**
 * Required variables that a catalog declares and that have no value (spec 2, step 7).
 * @param provided names that the service is about to get a value of, such as the address of a database
 */
export function missingConfig(
  { config: declared }: Pick<Catalog, 'config'>,
  { config, secrets, ownSecrets }: EffectiveVariables,
  provided: readonly string[],
): readonly ConfigDeclaration[] {
  const isSet = (key: string): boolean => [config, secrets, ownSecrets].some((values) => Object.hasOwn(values, key));
  return declared.filter(({ key, required, default: value }) => {
    return required && value === null && !isSet(key) && !provided.includes(key);
  });
}

/** What to do about them, with the command that sets them: secrets by name, whose values it asks for. */
export function settingMissing(missing: readonly ConfigDeclaration[], service: string): string {
  const given = missing.map(({ key, secret }) => (secret || isSensitiveName(key) ? `--secret ${key}` : `${key}=VALUE`));
  const what = missing.length === 1 ? 'it' : 'them';
  return `To set ${what}: \`fairlead config set ${given.join(' ')} --service ${service}\``;
}
