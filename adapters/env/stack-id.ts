import { z } from 'zod';

/** Names an installation among those on the same container engine, and the same accounts at vendors. */
export const stackId = z
  .string()
  .regex(/^[a-z0-9]{1,16}$/, '1 to 16 lower-case letters and digits')
  .default('default');
