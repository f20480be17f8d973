import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/**
 * Parses one part of a request. @throws VALIDATION_FAILED with every field that is wrong, unknown fields included, as
 * details `[{ field, message }]`. Values are never repeated: they may be secrets.
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap((issue) => problemsOf(issue, where));
  const list = details.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new FairleadError('VALIDATION_FAILED', `The request is not valid: ${list}`, { details });
}

function problemsOf(issue: z.core.$ZodIssue, where: string): FieldProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'unknown field' }));
  }
  // The message of a refused record key is in the issues of the key's schema.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [{ field: path.length > 0 ? path.join('.') : where, message }];
}
