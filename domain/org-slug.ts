import { z } from 'zod';

export const ORG_SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The name of an org in addresses, tokens and catalogs. */
export const orgSlugSchema = z.string().regex(ORG_SLUG, 'an org slug: lower-case letters, digits and dashes');

export function isOrgSlug(text: string): boolean {
  return ORG_SLUG.test(text);
}
