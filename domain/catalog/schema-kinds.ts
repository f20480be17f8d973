import { z } from 'zod';

/** The kinds of value that the catalog's schema is made of. Each message completes the sentence "expected …, found …". */

export const scalar = z
  .union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' })
  .transform((value) => String(value));

export const listOf = <T extends z.ZodType>(item: T, what: string, most = Number.POSITIVE_INFINITY) =>
  z
    .array(item, { error: `a list of ${what}` })
    .max(most, { error: `at most ${most} ${what}` })
    .nullish()
    .transform((items) => items ?? []);

export const entry = <T extends z.ZodRawShape>(shape: T, what: string) =>
  z.object(shape, { error: `a mapping ${what}` });

export const text = (what: string) => z.string({ error: what }).min(1, { error: what });
export const flag = z
  .boolean({ error: 'true or false' })
  .nullish()
  .transform((value) => value ?? false);
