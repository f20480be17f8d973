import { z } from 'zod';

/** A DNS label of at most 40 characters: it becomes a host name and part of container names. */
export const serviceNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
    'lower-case letters, digits and inner dashes, at most 40 characters',
  );
