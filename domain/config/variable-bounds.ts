import { FairleadError } from '../errors.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** All variables of one service together: every deploy carries them, and every line of its log is searched for them. */
export const MAX_SERVICE_VARIABLES = 300;
export const MAX_SERVICE_VARIABLE_BYTES = 128 * 1024;

interface ServiceVariables {
  readonly config: Readonly<Record<string, string | null>>;
  readonly secrets: Readonly<Record<string, SealedSecret | null>>;
}

/**
 * Bounds what a service has after a change. A change that only removes is always possible, so that whoever is above a
 * bound gets below it.
 * @param stored what it has, null for a new service
 * @param changes merged over it; null removes
 * @throws VALIDATION_FAILED naming the field, when it would have more than 300 variables or 128 KiB of values
 */
export function checkVariableBounds(stored: ServiceVariables | null, changes: ServiceVariables): void {
  const sets = [...Object.values(changes.config), ...Object.values(changes.secrets)].some((value) => value !== null);
  if (!sets) return;
  const config = present({ ...stored?.config, ...changes.config });
  const secrets = present({ ...stored?.secrets, ...changes.secrets });
  const count = config.length + secrets.length;
  if (count > MAX_SERVICE_VARIABLES) {
    const message = `the service would have ${count} variables and may have ${MAX_SERVICE_VARIABLES}; remove some (null)`;
    throw boundExceeded(message);
  }
  const bytes =
    config.reduce((sum, value) => sum + ENCODER.encode(value).length, 0) +
    secrets.reduce((sum, { sealed }) => sum + Math.ceil((sealed.length * 3) / 4), 0);
  if (bytes > MAX_SERVICE_VARIABLE_BYTES) {
    const message = `the values of the service would have ${bytes} bytes and may have ${MAX_SERVICE_VARIABLE_BYTES}; keep large ones in a file or a store`;
    throw boundExceeded(message);
  }
}

const ENCODER = new TextEncoder();

function present<T>(values: Readonly<Record<string, T | null>>): T[] {
  return Object.values(values).filter((value) => value !== null);
}

function boundExceeded(message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `config, secrets: ${message}`, {
    details: [{ field: 'config', message }],
  });
}
