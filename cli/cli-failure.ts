import { FairleadError } from '../domain/errors.ts';
import type { ExitName } from './exit-codes.ts';

export interface CliFailureOptions {
  readonly exit?: ExitName;
  /** What to do about it, shown below the message. */
  readonly remedy?: string;
  readonly details?: unknown;
  readonly cause?: unknown;
}

/**
 * Why a command ends without success. Its code is the API's own when the API said it: a newer API may use codes that
 * this command line does not know, so it is any string here.
 */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly code: string;
  readonly exit: ExitName;
  readonly remedy: string | null;
  readonly details: unknown;

  constructor(code: string, message: string, options: CliFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exit = options.exit ?? 'failed';
    this.remedy = options.remedy ?? null;
    this.details = options.details;
  }
}

/** A refusal of what was typed. */
export function usageFailure(message: string, remedy?: string): CliFailure {
  return new CliFailure('USAGE', message, { exit: 'usage', ...(remedy === undefined ? {} : { remedy }) });
}

/** Any thrown value as a failure that can be shown. */
export function toFailure(error: unknown): CliFailure {
  if (error instanceof CliFailure) return error;
  if (error instanceof FairleadError) {
    const exit = error.code === 'VALIDATION_FAILED' ? 'usage' : 'failed';
    return new CliFailure(error.code, error.message, { exit, details: error.details, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CliFailure('INTERNAL', message, { cause: error });
}
