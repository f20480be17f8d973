import { z } from 'zod';
import { environmentSchema } from '../../../domain/environment-schema.ts';
import { ENTRY_LISTS } from '../../../domain/oauth-clients/added-by.ts';
import { type ClientRecord, GRANT_TYPES } from '../../../domain/oauth-clients/client.ts';
import { SIGN_IN_RULES } from '../../../domain/sign-in-rule.ts';
import {
  mailTemplatesSchema,
  type StoredMailTemplate,
  storedMailTemplates,
  whiteLabelSchema,
} from '../appearance-fields.ts';
import { readDocument } from '../read-document.ts';

/** A client as it is stored; `_id` is the client id. */
export interface ClientDocument extends Omit<ClientRecord, 'clientId' | 'mailTemplates'> {
  readonly _id: string;
  readonly mailTemplates: readonly StoredMailTemplate[];
}

const text = z.string();
const texts = z.array(text);

const addedByShape = { org: text.nullable(), actor: text, sharingRevision: z.int().nullable() };

const clientSchema = z.object({
  _id: text,
  name: text,
  description: text,
  orgSlug: text,
  clientType: z.enum(['confidential', 'public']),
  redirectUris: texts,
  postLogoutRedirectUris: texts,
  allowedScopes: texts,
  allowedGrantTypes: z.array(z.enum(GRANT_TYPES)),
  trustedClient: z.boolean(),
  autoApproveScopes: z.boolean(),
  headlessEnabled: z.boolean(),
  selfServiceEmail: z.boolean(),
  passportConfig: z.object({
    includeBranding: z.boolean(),
    includeEntityHash: z.boolean(),
    headless: z.boolean(),
    allowedEmbedOrigins: texts,
  }),
  trustedInviteSignup: z.boolean(),
  // Absent in records of before there was a rule.
  signIn: z.enum(SIGN_IN_RULES).default('anyone'),
  signInEpoch: z.int().default(0),
  llmAccessEnabled: z.boolean(),
  whiteLabel: whiteLabelSchema,
  mailTemplates: mailTemplatesSchema,
  customDomains: texts,
  accessTokenTtlSeconds: z.int(),
  refreshTokenTtlSeconds: z.int(),
  defaultAudience: texts,
  service: text.nullable(),
  environment: environmentSchema.nullable(),
  secrets: z.array(
    z.object({
      id: text,
      hash: text,
      issuedFor: text.nullable().default(null),
      // Absent in records of before it was kept, as are the two fields below: the owner's.
      addedBy: z.object(addedByShape).nullable().default(null),
      createdAt: z.date(),
      lastUsedAt: z.date().nullable(),
    }),
  ),
  addedEntries: z.array(z.object({ list: z.enum(ENTRY_LISTS), value: text, ...addedByShape })).default([]),
  sharingRevision: z.int().default(0),
  createdBy: text,
  createdAt: z.date(),
  updatedAt: z.date(),
});

export function readClient(document: unknown): ClientRecord {
  const { _id, ...rest } = readDocument('client', clientSchema, document);
  return { clientId: _id, ...rest };
}

export function clientDocument({ clientId, mailTemplates, ...rest }: ClientRecord): ClientDocument {
  return { _id: clientId, ...rest, mailTemplates: storedMailTemplates(mailTemplates) };
}
