import { z } from 'zod';
import type { Passkey, TotpFactor, UserRecord } from '../../../domain/identity/user.ts';
import { PLATFORM_ROLES } from '../../../domain/roles.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

/** A person as they are stored; `_id` is the user id. */
export interface UserDocument extends Omit<UserRecord, 'id'> {
  readonly _id: string;
}

const text = z.string();
const time = z.date();

// Factors that were stored before they had `since` are as old as they are.
const totpSchema = z
  .object({
    secret: sealedSecretSchema,
    confirmedAt: time.nullable(),
    lastStep: z.int().nullable(),
    since: time.nullish(),
  })
  .transform(({ since, ...totp }): TotpFactor => ({ ...totp, since: since ?? totp.confirmedAt }));

const passkeySchema = z
  .object({
    credentialId: text,
    publicKey: text,
    counter: z.int(),
    transports: z.array(text),
    name: text,
    createdAt: time,
    lastUsedAt: time.nullable(),
    since: time.optional(),
  })
  .transform(({ since, ...passkey }): Passkey => ({ ...passkey, since: since ?? passkey.createdAt }));

const userSchema = z.object({
  _id: text,
  email: text,
  emailVerified: z.boolean(),
  firstName: text,
  lastName: text,
  avatar: text.nullable(),
  passwordHash: text.nullable(),
  // People who were stored before there was one have set none since.
  passwordVersion: z.int().default(0),
  endingLogins: z.object({ keepSession: text.nullable() }).nullable().default(null),
  platformRoles: z.array(z.enum(PLATFORM_ROLES)),
  primaryOrg: text.nullable(),
  suspendedAt: time.nullable(),
  onboardingPending: z.object({ orgSlug: text, clientId: text, since: time }).nullable(),
  totp: totpSchema.nullable(),
  passkeys: z.array(passkeySchema),
  recoveryCodes: z.array(text),
  createdAt: time,
  updatedAt: time,
});

export function readUser(document: unknown): UserRecord {
  const { _id, ...rest } = readDocument('user', userSchema, document);
  return { id: _id, ...rest };
}

export function userDocument({ id, ...rest }: UserRecord): UserDocument {
  return { _id: id, ...rest };
}
