import { z } from 'zod';
import { LINK_PURPOSES, type OneTimeLink } from '../../../domain/identity/one-time-link.ts';
import { REVOCATION_KINDS, type Revocation } from '../../../domain/identity/revocation.ts';
import { KEY_STATES, type KeySet, type SigningKey, type WithdrawnKey } from '../../../domain/identity/signing-key.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

/** `_id` is `{purpose}:{user id}`: there is one link of a purpose for each person. */
export interface LinkDocument extends OneTimeLink {
  readonly _id: string;
}

/** `_id` is the key that attempts are counted by. */
export interface AttemptDocument {
  readonly _id: string;
  readonly attempts: number;
  /** End of the window. */
  readonly until: Date;
}

/** `_id` is `{kind}:{value}`. */
export interface RevocationDocument extends Revocation {
  readonly _id: string;
}

export interface KeySetDocument extends KeySet {
  readonly _id: string;
}

const text = z.string();
const time = z.date();

const linkSchema: z.ZodType<OneTimeLink> = z.object({
  tokenHash: text,
  purpose: z.enum(LINK_PURPOSES),
  userId: text.nullable(),
  email: text,
  // Links that were stored before there was one are for people who have set no password since.
  passwordVersion: z.int().default(0),
  clientId: text.nullable(),
  handed: z.boolean().default(false),
  returnTo: text.nullable(),
  createdAt: time,
  expiresAt: time,
  consumedAt: time.nullable(),
});

const attemptSchema = z.object({ attempts: z.int(), until: time });

const revocationSchema: z.ZodType<Revocation> = z.object({
  kind: z.enum(REVOCATION_KINDS),
  value: text,
  issuedUntil: time,
  revokedAt: time,
  expiresAt: time,
});

const signingKeySchema: z.ZodType<SigningKey> = z.object({
  id: text,
  state: z.enum(KEY_STATES),
  publicJwk: z.object({ kty: z.literal('RSA'), n: text, e: text }),
  privateKey: sealedSecretSchema,
  createdAt: time,
  activatedAt: time.nullable(),
  retiredAt: time.nullable(),
});

// Key sets that were stored before a key could be withdrawn have no such list.
const withdrawnSchema = z.array(z.object({ id: text, withdrawnAt: time })).default([]);

const keySetSchema: z.ZodType<KeySet> = z.object({
  version: z.int().min(1),
  keys: z.array(signingKeySchema),
  withdrawn: withdrawnSchema,
});

export function readLink(document: unknown): OneTimeLink {
  return readDocument('one-time link', linkSchema, document);
}

export function readAttempts(document: unknown): { attempts: number; until: Date } {
  return readDocument('count of attempts', attemptSchema, document);
}

export function readRevocation(document: unknown): Revocation {
  return readDocument('revocation', revocationSchema, document);
}

export function readKeySet(document: unknown): KeySet {
  return readDocument('key set', keySetSchema, document);
}

/** Of a key set, or a part of it. */
export function readWithdrawnKeys(document: unknown): readonly WithdrawnKey[] {
  return readDocument('key set', z.object({ withdrawn: withdrawnSchema }), document).withdrawn;
}
