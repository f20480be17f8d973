import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';
import type { SecretCipher } from './ports.ts';
import type { SealedSecret } from './sealed-secret.ts';
import type { SecretOrigin } from './secret-import.ts';
import type { VariableMark } from './service-variables.ts';
import { isReservedVariable } from './variable-names.ts';

/** New values by name; null removes a variable. */
export type VariableValues = Readonly<Record<string, string | null>>;

/** What a store merges over a set of variables, name by name; null removes. */
export interface VariableChanges {
  readonly config: VariableValues;
  readonly secrets: Readonly<Record<string, SealedSecret | null>>;
  readonly marks: Readonly<Record<string, VariableMark | null>>;
}

export interface RequestedVariables {
  readonly config: VariableValues;
  readonly secrets: VariableValues;
}

/**
 * Refuses names that the platform provides, and those that are to be plain and secret at once.
 * @throws RESERVED_ENV_VAR, VALIDATION_FAILED
 */
export function checkVariableNames({ config, secrets }: { readonly config: object; readonly secrets: object }): void {
  const reserved = [...Object.keys(config), ...Object.keys(secrets)].filter(isReservedVariable);
  if (reserved.length > 0) {
    const message = `${reserved.join(', ')}: the platform provides this itself; choose another name`;
    throw new FairleadError('RESERVED_ENV_VAR', message, { details: { names: reserved } });
  }
  const both = Object.keys(config).filter((name) => Object.hasOwn(secrets, name));
  if (both.length === 0) return;
  const details = both.map((name) => ({ field: `secrets.${name}`, message: 'is in config as well' }));
  const message = `${both.join(', ')}: set it in config or in secrets, not in both`;
  throw new FairleadError('VALIDATION_FAILED', message, { details });
}

/** Where changes belong, and who makes them. */
export interface ChangeContext {
  /** Null when CONFIG_ENCRYPTION_KEY is not set. */
  readonly cipher: SecretCipher | null;
  readonly service: string;
  /** Null for the variables of all environments. */
  readonly environment: Environment | null;
  readonly mark: VariableMark;
  /** By name, of secrets that were imported. */
  readonly origins?: Readonly<Record<string, SecretOrigin>>;
}

/**
 * Seals what is secret. A variable is plain or secret: setting it as one removes it as the other.
 * @throws UNAVAILABLE when there is a secret to seal and no key
 */
export function sealChanges(context: ChangeContext, { config, secrets }: RequestedVariables): VariableChanges {
  const { service, environment, mark, origins = {} } = context;
  const sealed: Record<string, SealedSecret | null> = {};
  const plain: Record<string, string | null> = { ...config };
  const marks: Record<string, VariableMark | null> = {};
  for (const [key, value] of Object.entries(secrets)) {
    const place = { service, key, ...(environment === null ? {} : { environment }) };
    sealed[key] = value === null ? null : requireSecretCipher(context.cipher).seal(value, place);
    if (value !== null) plain[key] = null;
    const origin = Object.hasOwn(origins, key) ? origins[key] : undefined;
    marks[key] = value === null ? null : { ...mark, ...(origin && { origin }) };
  }
  for (const [key, value] of Object.entries(config)) {
    if (value !== null) sealed[key] = null;
    marks[key] = value === null ? null : mark;
  }
  return { config: plain, secrets: sealed, marks };
}

/** @throws UNAVAILABLE without a key */
export function requireSecretCipher(cipher: SecretCipher | null): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError('UNAVAILABLE', 'secrets: cannot be stored, because CONFIG_ENCRYPTION_KEY is not set here');
}
