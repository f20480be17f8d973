import { z } from 'zod';
import { isOrgSlug } from './org-slug.ts';

/** Names a credential in the locker: `lk://<org>/<vault>/<item>[/<field>]` (spec 2, "Configuration variables and secrets", 3). */
export interface LockerHandle {
  /** Slug of the org, or `me` for a person's own. */
  readonly owner: string;
  readonly vault: string;
  readonly item: string;
  /** Null: the one secret field of the item. */
  readonly field: string | null;
}

/** The owner in handles of what a person keeps for themselves. No org has its locker under this name. */
export const PERSONAL_OWNER = 'me';

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const FIELD_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const FORM = 'lk://<org>/<vault>/<item>, and /<field> for one field of it';

/**
 * Reads a handle. It is no URL: nothing in it is decoded, so an escaped slash, a dot or a letter outside ASCII makes it none.
 * @returns null for a text of another form
 */
export function parseLockerHandle(text: string): LockerHandle | null {
  const [scheme, empty, owner = '', vault = '', item = '', field, ...rest] = text.split('/');
  if (scheme !== 'lk:' || empty !== '' || rest.length > 0) return null;
  if (!isOrgSlug(owner) || !NAME.test(vault) || !NAME.test(item)) return null;
  if (field !== undefined && !FIELD_NAME.test(field)) return null;
  return { owner, vault, item, field: field ?? null };
}

export function formatLockerHandle({ owner, vault, item, field }: LockerHandle): string {
  return `lk://${[owner, vault, item, ...(field === null ? [] : [field])].join('/')}`;
}

/** A handle as it travels. No message repeats what was sent: it may be a credential in the wrong place. */
export const lockerHandleSchema = z
  .string()
  .max(300, `a locker handle: ${FORM}`)
  .refine((text) => parseLockerHandle(text) !== null, `a locker handle: ${FORM}`);

/** Name of a vault or an item. */
export const lockerNameSchema = z
  .string()
  .regex(NAME, 'lower-case letters, digits, dashes and underscores, at most 63 characters');

export const lockerFieldNameSchema = z
  .string()
  .regex(FIELD_NAME, 'letters, digits, dashes and underscores, at most 63 characters');

/** The name that a credential had in the legacy vault. */
export const legacyAliasSchema = z
  .string()
  .regex(ALIAS, 'letters, digits, dots, dashes and underscores, at most 128 characters');
