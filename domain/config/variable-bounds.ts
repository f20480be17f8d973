import type { Environment } from '../environment.ts';
import { FairleadError } from '../errors.ts';
import { type ServiceVariables, type VariableSet, variableSets } from './service-variables.ts';
import type { VariableChanges } from './variable-change.ts';

/**
 * All variables of one service together, those of single environments included: every line of its logs is searched for
 * them.
 */
export const MAX_SERVICE_VARIABLES = 300;
export const MAX_SERVICE_VARIABLE_BYTES = 128 * 1024;

type Values = Pick<VariableSet, 'config' | 'secrets'>;

/**
 * Bounds what a service has after a change. A change that only removes is always possible, so that whoever is above a
 * bound gets below it.
 * @param stored what it has, null for a new service
 * @param environment the one that the change is for; null for all
 * @param changes merged over it; null removes
 * @throws VALIDATION_FAILED naming the field, when it would have more than 300 variables or 128 KiB of values
 */
export function checkVariableBounds(
  stored: ServiceVariables | null,
  environment: Environment | null,
  changes: Pick<VariableChanges, 'config' | 'secrets'>,
): void {
  if (![...Object.values(changes.config), ...Object.values(changes.secrets)].some((value) => value !== null)) return;
  const sets = stored === null ? [] : variableSets(stored);
  const before = sets.find((each) => each.environment === environment)?.set ?? { config: {}, secrets: {} };
  const others = sets.filter((each) => each.environment !== environment).map(({ set }) => set);
  const after = [...others, merged(before, changes)];
  const count = sum(after, ({ config, secrets }) => Object.keys(config).length + Object.keys(secrets).length);
  if (count > MAX_SERVICE_VARIABLES) {
    const message = `the service would have ${count} variables and may have ${MAX_SERVICE_VARIABLES}; remove some`;
    throw boundExceeded(message);
  }
  const bytes = sum(after, bytesOf);
  if (bytes > MAX_SERVICE_VARIABLE_BYTES) {
    const message = `the values of the service would have ${bytes} bytes and may have ${MAX_SERVICE_VARIABLE_BYTES}; keep large ones in a file or a store`;
    throw boundExceeded(message);
  }
}

function merged(before: Values, changes: Pick<VariableChanges, 'config' | 'secrets'>): Values {
  return {
    config: present({ ...before.config, ...changes.config }),
    secrets: present({ ...before.secrets, ...changes.secrets }),
  };
}

const ENCODER = new TextEncoder();

function bytesOf({ config, secrets }: Values): number {
  const plain = Object.values(config).reduce((total, value) => total + ENCODER.encode(value).length, 0);
  return Object.values(secrets).reduce((total, { sealed }) => total + Math.ceil((sealed.length * 3) / 4), plain);
}

function present<T>(values: Readonly<Record<string, T | null>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== null));
}

function sum(sets: readonly Values[], of: (set: Values) => number): number {
  return sets.reduce((total, set) => total + of(set), 0);
}

function boundExceeded(message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `config, secrets: ${message}`, {
    details: [{ field: 'config', message }],
  });
}
