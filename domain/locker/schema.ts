import { z } from 'zod';
import { HIDDEN_SECRET } from '../config/sealed-secret.ts';
import { legacyAliasSchema, lockerFieldNameSchema, lockerHandleSchema } from '../locker-handle.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { serviceNameSchema } from '../service-name.ts';
import { MAX_FIELDS, MAX_VALUE_LENGTH } from './item.ts';

/** Shapes of the locker's HTTP API (spec 2, "Configuration variables and secrets", 3 and 4; all but /api/resolve is ours). */

export const serviceIdSchema = z.string().regex(/^svc_[0-9a-z]{1,40}$/, 'the id of a service: svc_…');

const timestamp = z.iso.datetime();

const fieldChange = z.strictObject({
  name: lockerFieldNameSchema,
  secret: z.boolean().default(true),
  value: z.string().min(1).max(MAX_VALUE_LENGTH),
});

/** Body of PATCH …/items/:item. */
export const changeItemBodySchema = z
  .strictObject({
    fields: z.array(fieldChange).max(MAX_FIELDS).default([]),
    removeFields: z.array(lockerFieldNameSchema).max(MAX_FIELDS).default([]),
    legacyAlias: legacyAliasSchema
      .nullable()
      .optional()
      .describe('Name that it had in the legacy vault; null for none'),
  })
  .refine(
    ({ fields, removeFields, legacyAlias }) => fields.length + removeFields.length > 0 || legacyAlias !== undefined,
    'names nothing to change: give fields, removeFields or legacyAlias',
  );

export type ChangeItemBody = z.output<typeof changeItemBodySchema>;

export const bindServiceBodySchema = z.strictObject({
  service: serviceNameSchema.describe('Its name, for people: the id decides'),
});

export const vaultsSchema = z.object({ items: z.array(z.object({ name: z.string(), items: z.int() })) });

const itemShape = {
  id: z.string(),
  handle: z.string(),
  vault: z.string(),
  name: z.string(),
  bindings: z.array(z.object({ serviceId: z.string(), service: z.string(), boundAt: timestamp, boundBy: z.string() })),
  legacyAlias: z.string().nullable(),
  sealedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  updatedBy: z.string(),
};

/** An item in a list: no value of it, secret or not. */
export const itemSummarySchema = z.object({
  ...itemShape,
  fields: z.array(z.object({ name: z.string(), secret: z.boolean() })),
});

export const itemViewSchema = z.object({
  ...itemShape,
  fields: z.array(
    z.object({ name: z.string(), secret: z.boolean(), value: z.string().describe(`${HIDDEN_SECRET} for a secret`) }),
  ),
});

export const itemValuesSchema = z.object({ values: z.array(z.object({ name: z.string(), value: z.string() })) });

export const itemRemovedSchema = z.object({ handle: z.string() });

/** Body of POST /api/resolve. */
export const resolveBodySchema = z.strictObject({
  source: z.union(
    [z.strictObject({ handle: lockerHandleSchema }), z.strictObject({ legacyAlias: legacyAliasSchema })],
    '{ handle } or { legacyAlias }: a handle is lk://<org>/<vault>/<item>[/<field>]',
  ),
  destination: z
    .strictObject({ serviceId: serviceIdSchema, service: serviceNameSchema, org: orgSlugSchema })
    .describe('The service that gets the value, and the org that owns it'),
});

export type ResolveBody = z.output<typeof resolveBodySchema>;

/** Reply of POST /api/resolve. */
export const resolvedSchema = z.object({
  handle: z.string().describe('Of the field whose value it is'),
  value: z.string(),
});
