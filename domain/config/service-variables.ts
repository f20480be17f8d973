import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';
import type { SecretCipher, SecretContext } from './ports.ts';
import type { SealedSecret } from './sealed-secret.ts';
import type { SecretOrigin } from './secret-import.ts';

/** Sealed values by the name of their variable. */
export type Secrets = Readonly<Record<string, SealedSecret>>;

/** Variables that were set together for the same environments. A name is in `config` or in `secrets`, never in both. */
export interface VariableSet {
  /** Plain values, stored in clear. */
  readonly config: Readonly<Record<string, string>>;
  /** The plaintext never leaves the place it is used in. */
  readonly secrets: Secrets;
  /** Who set each variable last; none for those that version 0.1 stored. */
  readonly marks: Readonly<Record<string, VariableMark>>;
}

/** What is known of a variable beside its value. */
export interface VariableMark {
  readonly changedAt: Date;
  /** The person or service that set it, as logs name them. */
  readonly changedBy: string;
  /** Absent for a value that was typed. */
  readonly origin?: SecretOrigin;
}

/** All variables of a service: those of every environment, and what single environments have instead of them. */
export interface ServiceVariables extends VariableSet {
  readonly overrides: Readonly<Partial<Record<Environment, VariableSet>>>;
}

/** What a deploy to one environment is given (spec 2, "Configuration variables and secrets", 2). */
export interface EffectiveVariables {
  readonly config: Readonly<Record<string, string>>;
  /** Sealed for the service. */
  readonly secrets: Secrets;
  /** Sealed for the service in this environment. */
  readonly ownSecrets: Secrets;
}

/** The variables of a service in one environment: what was set for it alone wins over what was set for all. */
export function variablesIn(service: ServiceVariables, environment: Environment): EffectiveVariables {
  const own = service.overrides[environment];
  if (own === undefined) return { config: service.config, secrets: service.secrets, ownSecrets: {} };
  return {
    config: { ...without(service.config, own.secrets), ...own.config },
    secrets: without(without(service.secrets, own.config), own.secrets),
    ownSecrets: own.secrets,
  };
}

/** The sets of a service, each with the environment it is for; null for the one of all environments. */
export function variableSets(service: ServiceVariables): { environment: Environment | null; set: VariableSet }[] {
  const { overrides } = service;
  const own = Object.entries(overrides) as [Environment, VariableSet][];
  return [{ environment: null, set: service }, ...own.map(([environment, set]) => ({ environment, set }))];
}

/** Where secrets are kept: with a service for all its environments, or with it or a release for one of them. */
export type SecretsOwner = Omit<SecretContext, 'key'>;

/** Opens sealed variables; the plaintext stays in memory where it is used. @throws INTERNAL without the key */
export function openSecrets(
  cipher: SecretCipher | null,
  owner: SecretsOwner,
  secrets: Secrets,
): Record<string, string> {
  const sealed = Object.entries(secrets);
  if (sealed.length === 0) return {};
  if (cipher === null) {
    throw new FairleadError('INTERNAL', `Set CONFIG_ENCRYPTION_KEY: ${owner.service} has secrets to decrypt.`);
  }
  return Object.fromEntries(sealed.map(([key, secret]) => [key, cipher.open(secret, { ...owner, key })]));
}

/** One secret; null when no key opens it, or there is none. */
export function openOrNull(cipher: SecretCipher | null, context: SecretContext, secret: SealedSecret): string | null {
  try {
    return cipher?.open(secret, context) ?? null;
  } catch (error) {
    // The reason it gives is that no key fits; anything else is a fault of ours.
    if (error instanceof FairleadError && error.code === 'INTERNAL') return null;
    throw error;
  }
}

/** The values of {@link variablesIn} of the service of that name, secrets opened. @throws INTERNAL without the key */
export function openVariables(
  cipher: SecretCipher | null,
  target: { readonly service: string; readonly environment: Environment },
  variables: EffectiveVariables,
): { readonly config: Readonly<Record<string, string>>; readonly secrets: Record<string, string> } {
  const { service, environment } = target;
  const secrets = {
    ...openSecrets(cipher, { service }, variables.secrets),
    ...openSecrets(cipher, { service, environment }, variables.ownSecrets),
  };
  return { config: variables.config, secrets };
}

function without<T>(values: Readonly<Record<string, T>>, names: object): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(names, name)));
}
