import { resolve } from 'node:path';
import { z } from 'zod';

/** The kinds of value that environment variables have; sections are made of them. */

export const text = z.string().min(1);
export const port = z.coerce.number().int().min(1).max(65_535);
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');
export const positiveCount = z.coerce.number().int().min(1);
export const folder = text.transform((path) => resolve(path));
export const commaList = z.string().transform((value) => value.split(',').flatMap((part) => part.trim() || []));

/** A base address, kept without a trailing slash. */
export const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

export const mongodbUri = z.string().regex(/^mongodb(\+srv)?:\/\/.+/, 'a mongodb:// address');

export const orgSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'an org slug: lower-case letters, digits and dashes');

/** The key by which processes of an installation know each other. */
export const internalKey = z.string().min(32, 'at least 32 characters');

/** 32 bytes in base64 or hex; a comma list where the first seals and all open, so that a key can be rotated. */
export const encryptionKeys = z
  .string()
  .transform((value) => value.split(',').map((part) => decodeKey(part.trim())))
  .refine((keys) => keys.every((key) => key.length === 32), 'a list of 32-byte keys in base64 or hex');

function decodeKey(encoded: string): Buffer {
  return /^[0-9a-f]{64}$/i.test(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(encoded, 'base64');
}

/** Marks a variable whose value no log may show. It goes outermost: what wraps a marked kind is not marked. */
export function secret<T extends z.ZodType>(kind: T): T {
  return kind.meta({ secret: true });
}

export function isSecret(kind: z.ZodType): boolean {
  return kind.meta()?.secret === true;
}

/** By which a service of the platform gets tokens for its own calls. */
export const clientSecret = secret(z.string().min(32, 'at least 32 characters').optional());
