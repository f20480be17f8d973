import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { mailTemplatesSchema } from '../identity/mail-template-schema.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { pageSchema } from '../page-schema.ts';
import { serviceNameSchema } from '../service-name.ts';
import { SIGN_IN_RULES } from '../sign-in-rule.ts';
import { ENTRY_LISTS } from './added-by.ts';
import { type ClientRecord, GRANT_TYPES } from './client.ts';

/** Shapes of OAuth clients as the HTTP APIs take and show them (spec 1, "OAuth client record"; bodies are ours). */

/** Lower-case letters, digits, dots and dashes: never the shape of a user id, which has an underscore. */
export const clientIdSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9.-]{0,78}[a-z0-9])?$/, 'lower-case letters, digits, dots and inner dashes, at most 80');

/** Id of a client or secret in a path: whatever does not exist is then not found. */
export const pathIdSchema = z.string().min(1).max(200);

const name = z.string().trim().min(1).max(120);
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'a scope: printable characters without blanks');
export const redirectUriSchema = z.string().min(1).max(2_000);
const origin = z.string().max(300).refine(isOrigin, 'an origin such as https://shop.example, without a path');
const host = z
  .string()
  .max(253)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, 'a host name such as shop.example');
const httpsUrl = z.url({ protocol: /^https$/ }).max(2_000);

const listOf = <T extends z.ZodType>(item: T, limit: number) => z.array(item).max(limit);

/** An origin exactly as a browser sends it. */
function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const passportParts = {
  includeBranding: z.boolean(),
  includeEntityHash: z.boolean(),
  headless: z.boolean(),
  allowedEmbedOrigins: listOf(origin, 50),
};

const whiteLabelParts = {
  emailFromName: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^[^\r\n"<>]*$/, 'a name without quotes and brackets')
    .nullable(),
  logoUrl: httpsUrl.nullable(),
  primaryColor: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'a colour such as #0F172A')
    .nullable(),
};

const plainFields = {
  name,
  description: z.string().max(1_000),
  redirectUris: listOf(redirectUriSchema, 100),
  postLogoutRedirectUris: listOf(redirectUriSchema, 100),
  allowedScopes: listOf(scope, 200),
  allowedGrantTypes: listOf(z.enum(GRANT_TYPES), GRANT_TYPES.length),
  trustedClient: z.boolean(),
  autoApproveScopes: z.boolean(),
  headlessEnabled: z.boolean(),
  selfServiceEmail: z.boolean(),
  trustedInviteSignup: z.boolean(),
  mailTemplates: mailTemplatesSchema,
  customDomains: listOf(host, 50),
  accessTokenTtlSeconds: z.int().min(60).max(3_600),
  refreshTokenTtlSeconds: z.int().min(3_600).max(7_776_000),
  defaultAudience: listOf(z.string().min(1).max(300), 20),
};

/** Every field may be absent, and none may be there without a value. */
function optionalFields<T extends Record<string, z.ZodType>>(shape: T) {
  const rows = Object.entries(shape).map(([field, type]) => [field, type.exactOptional()]);
  return Object.fromEntries(rows) as { [K in keyof T]: z.ZodExactOptional<T[K]> };
}

const changeableFields = optionalFields({
  ...plainFields,
  passportConfig: z.object(optionalFields(passportParts)),
  whiteLabel: z.object(optionalFields(whiteLabelParts)),
});

/** Body of PATCH: what is not named here is dropped, as the spec has it. */
export const clientPatchSchema = z.object(changeableFields);

/** Body of POST. An absent field has its default; `orgSlug` is the caller's org. */
export const newClientSchema = z.strictObject({
  ...changeableFields,
  name,
  clientId: clientIdSchema.exactOptional().describe('Default: made from the name'),
  orgSlug: orgSlugSchema.exactOptional(),
  clientType: z.enum(['confidential', 'public']).exactOptional(),
});

export type NewClient = z.output<typeof newClientSchema>;

/** Who added something by hand, as it is shown. */
const addedByShape = {
  org: z.string().nullable().describe('The org that added it; null for the platform'),
  actor: z.string().describe('Who it was'),
};

/** A client as it is shown: of its secrets, everything but what would prove to know them. */
export const clientViewSchema = z.object({
  clientId: z.string(),
  name: z.string(),
  description: z.string(),
  orgSlug: z.string(),
  clientType: z.enum(['confidential', 'public']),
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()),
  allowedScopes: z.array(z.string()),
  allowedGrantTypes: z.array(z.enum(GRANT_TYPES)),
  trustedClient: z.boolean(),
  autoApproveScopes: z.boolean(),
  headlessEnabled: z.boolean(),
  selfServiceEmail: z.boolean(),
  passportConfig: z.object({
    includeBranding: z.boolean(),
    includeEntityHash: z.boolean(),
    headless: z.boolean(),
    allowedEmbedOrigins: z.array(z.string()),
  }),
  trustedInviteSignup: z.boolean(),
  signIn: z.enum(SIGN_IN_RULES).describe('Who may sign in; of a service, by spec.userAccess of its catalog'),
  llmAccessEnabled: z.boolean(),
  whiteLabel: z.object({
    emailFromName: z.string().nullable(),
    logoUrl: z.string().nullable(),
    primaryColor: z.string().nullable(),
  }),
  mailTemplates: z.record(z.string(), z.object({ subject: z.string(), text: z.string() })),
  customDomains: z.array(z.string()),
  accessTokenTtlSeconds: z.int(),
  refreshTokenTtlSeconds: z.int(),
  defaultAudience: z.array(z.string()),
  service: z.string().nullable(),
  environment: environmentSchema.nullable(),
  secrets: z.array(
    z.object({
      id: z.string(),
      issuedFor: z.string().nullable().describe('Of a secret that a deploy asked for: which of its credentials it is'),
      addedBy: z.object(addedByShape).nullable().describe('Null for one of a deploy, and where it is not known'),
      createdAt: z.iso.datetime(),
      lastUsedAt: z.iso.datetime().nullable(),
    }),
  ),
  addedEntries: z
    .array(z.object({ list: z.enum(ENTRY_LISTS), value: z.string(), ...addedByShape }))
    .describe('Entries of lists that were added by hand, as far as it is known'),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type ClientView = z.output<typeof clientViewSchema>;

/** A client with a secret that is shown this once; null for a public client, which has none. */
export const clientWithSecretSchema = clientViewSchema.extend({
  clientSecret: z.string().nullable().describe('Shown this once'),
  secretId: z.string().nullable(),
});

export type ClientWithSecret = z.output<typeof clientWithSecretSchema>;

/** The client without the hashes of its secrets, times as ISO strings. */
export function clientView(client: ClientRecord): ClientView {
  const { secrets, createdAt, updatedAt, ...rest } = client;
  return clientViewSchema.parse({
    ...rest,
    secrets: secrets.map(({ id, issuedFor, addedBy, createdAt: made, lastUsedAt }) => ({
      id,
      issuedFor,
      addedBy,
      createdAt: made.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  });
}

/** A page of clients. */
export const clientListSchema = pageSchema(clientViewSchema);

/** Body of the search the builder makes for an org: its own clients and those of the services it may use. */
export const searchBodySchema = z.strictObject({
  orgSlug: orgSlugSchema.nullable().describe('null for all clients'),
  clientIds: z.array(z.string().min(1).max(200)).max(20_000).default([]),
  cursor: z.string().min(1).max(500).nullable().default(null),
  limit: z.int().min(1).max(200).default(50),
});

/** Body of the call for a service that is removed, of which nobody keeps what was granted, or for a grant that ended. */
export const revokeScopesBodySchema = z.strictObject({
  service: serviceNameSchema,
  clientId: z.string().min(1).max(200).exactOptional().describe('Of this client alone; without it, of all'),
  reason: z
    .enum(['service removed', 'grant ended', 'org no longer authorized'])
    .exactOptional()
    .describe('For the audit trail; default: service removed'),
});
export type RevokedScopes = z.output<typeof revokeScopesBodySchema>;
export const revokeScopesReplySchema = z.object({ clientIds: z.array(z.string()) });

/** Body of the call for scopes that an admin grants to the client of a service by deploying it. */
export const addScopesBodySchema = z.strictObject({
  clientId: z.string().min(1).max(200),
  scopes: z.array(scope).min(1).max(200),
});
export type AddedScopes = z.output<typeof addScopesBodySchema>;
export const addScopesReplySchema = z.object({ added: z.array(z.string()).describe('Those that it did not have') });
export type AddScopesReply = z.output<typeof addScopesReplySchema>;

/** Body of the call for an org that was taken out of those that share the service of a client. */
export const removeAdditionsBodySchema = z.strictObject({
  clientId: z.string().min(1).max(200),
  org: orgSlugSchema,
  revision: z.int().positive().describe('The change by which it was taken out: what was added before it goes'),
});
export type RemovedAdditions = z.output<typeof removeAdditionsBodySchema>;
export const removeAdditionsReplySchema = z.object({
  secretIds: z.array(z.string()),
  entries: z.array(z.object({ list: z.enum(ENTRY_LISTS), value: z.string() })),
});
export type RemoveAdditionsReply = z.output<typeof removeAdditionsReplySchema>;

/** Body of the provisioning call a deploy makes. */
export const provisionBodySchema = z.strictObject({
  service: serviceNameSchema,
  environment: environmentSchema,
  orgSlug: orgSlugSchema,
  redirectUris: plainFields.redirectUris,
  scopes: plainFields.allowedScopes,
  grantTypes: plainFields.allowedGrantTypes,
  passportConfig: z.strictObject(passportParts).optional(),
  create: z.boolean().describe('Make the client when it is missing; otherwise that is CLIENT_NOT_FOUND'),
  newSecret: z
    .boolean()
    .default(false)
    .describe('Give a client that exists a secret of its own: the caller has lost the one it had'),
  secretFor: z
    .strictObject({
      key: z.string().min(1).max(200).describe('At most one live secret has it'),
      replaces: z
        .string()
        .max(64)
        .nullable()
        .describe('Id of the secret of that key as the caller saw it; null for none'),
    })
    .optional()
    .describe('Which secret this is for the caller, so that a repeat replaces the one whose answer was lost'),
});

export const provisionReplySchema = z.object({
  clientId: z.string(),
  created: z.boolean(),
  clientSecret: z.string().nullable().describe('With a client or secret that was made by this call'),
  preserved: z.object({
    redirectUris: z.array(z.string()),
    scopes: z.array(z.string()),
    grantTypes: z.array(z.enum(GRANT_TYPES)),
  }),
});

/** Body of the call by which a deploy says who may sign in to a service. */
export const signInBodySchema = z.strictObject({
  service: serviceNameSchema,
  environment: environmentSchema,
  orgSlug: orgSlugSchema,
  signIn: z.enum(SIGN_IN_RULES),
  epoch: z.int().nonnegative().describe('Of the deploy: what a newer one set stays'),
});
export type SignInRequest = z.output<typeof signInBodySchema>;
export const signInReplySchema = z.object({ clientId: z.string(), changed: z.boolean() });
export type SignInReply = z.output<typeof signInReplySchema>;

export type ProvisionRequest = z.input<typeof provisionBodySchema>;
export type ProvisionReply = z.output<typeof provisionReplySchema>;

export const redirectUriBodySchema = z.strictObject({ redirectUri: redirectUriSchema });
