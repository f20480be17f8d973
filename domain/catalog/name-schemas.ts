import { z } from 'zod';
import { VARIABLE_NAME } from '../config/variable-names.ts';
import { ORG_SLUG } from '../org-slug.ts';

/** Names in a catalog. Each message completes the sentence "expected …, found …". */

const named = (what: string, pattern: RegExp) => z.string({ error: what }).regex(pattern, { error: what });

export const ownerSlug = named(
  'the slug of an org: 1 to 63 lower-case letters, digits and dashes, beginning with a letter or digit',
  ORG_SLUG,
);

export const scopeName = named(
  'the name of a scope: 1 to 200 printable ASCII characters without blanks, quotes and backslashes',
  /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/,
);

export const bucketName = named(
  'a name: 1 to 63 lower-case letters, digits, dashes and underscores, beginning with a letter or digit',
  /^[a-z0-9][a-z0-9_-]{0,62}$/,
);

export const MOST_BUCKETS = 50;

const ENV_NAME = 'a variable name: letters, digits and underscores, not beginning with a digit';
export const variableName = z.string({ error: ENV_NAME }).regex(VARIABLE_NAME, { error: ENV_NAME });
