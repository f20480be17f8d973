import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';

/**
 * Parses a stored document: one that something else wrote is refused here and not somewhere inside.
 * @param what names the kind of document in the message, such as `user`; the cause names the fields, never their values.
 * @throws INTERNAL
 */
export function readDocument<T>(what: string, schema: z.ZodType<T>, document: unknown): T {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  throw new FairleadError('INTERNAL', `A stored ${what} has an invalid format`, { cause: result.error });
}
