import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { legacyAliasSchema, lockerHandleSchema } from '../locker-handle.ts';
import { HIDDEN_SECRET } from './sealed-secret.ts';
import { MAX_IMPORTS, type SecretSource } from './secret-import.ts';
import { variableNameSchema } from './variable-names.ts';

/** Shapes of variables as the HTTP API takes and shows them (spec 2, "Configuration variables and secrets"). */

const MAX_VALUE_LENGTH = 32_768;
const MAX_VARIABLES = 200;
const TOO_MANY = `at most ${MAX_VARIABLES} variables in one request`;

const value = z.string().max(MAX_VALUE_LENGTH);

/** Values by name; null removes one. */
export const variablesSchema = z
  .record(variableNameSchema, value.nullable())
  .refine((map) => Object.keys(map).length <= MAX_VARIABLES, TOO_MANY);

const fromElsewhere = `a value of at most ${MAX_VALUE_LENGTH} characters, { "lockerHandle": "lk://<org>/<vault>/<item>[/<field>]" } or { "vaultAlias": "<alias>" }, and nothing beside it`;

const secretValue = z.union(
  [
    value,
    z
      .strictObject({ lockerHandle: lockerHandleSchema })
      .describe('Copied out of the locker of the org that owns the service'),
    z.strictObject({ vaultAlias: legacyAliasSchema }).describe('Deprecated: by its name in the legacy vault'),
  ],
  fromElsewhere,
);

const newSecrets = z
  .record(variableNameSchema, secretValue)
  .refine((map) => Object.keys(map).length <= MAX_VARIABLES, TOO_MANY)
  .refine((map) => sourcesOf(map).length <= MAX_IMPORTS, `at most ${MAX_IMPORTS} handles and aliases in one request`)
  .refine((map) => isEachOnce(sourcesOf(map)), 'a handle or alias is for one variable: import each value once')
  .default({});

function sourcesOf(secrets: Readonly<Record<string, string | SecretSource>>): readonly string[] {
  return Object.values(secrets).flatMap((given) => (typeof given === 'string' ? [] : JSON.stringify(given)));
}

const isEachOnce = (values: readonly string[]): boolean => new Set(values).size === values.length;

const plainValue = z.string('text; a handle or an alias is for secrets alone').max(MAX_VALUE_LENGTH);

const newValues = z
  .record(variableNameSchema, plainValue)
  .refine((map) => Object.keys(map).length <= MAX_VARIABLES, TOO_MANY)
  .default({});

const scope = environmentSchema
  .nullable()
  .default(null)
  .describe('Only for this environment, where it wins; null for every environment');

/** Body of PATCH /services/:id/config. */
export const changeConfigBodySchema = z
  .strictObject({
    environment: scope,
    set: newValues.describe('Plain variables'),
    secrets: newSecrets.describe('Variables that are stored encrypted and never shown again'),
    unset: z.array(variableNameSchema).max(MAX_VARIABLES, TOO_MANY).default([]),
  })
  .refine(
    ({ set, secrets, unset }) => Object.keys(set).length + Object.keys(secrets).length + unset.length > 0,
    'names no variable to change: give set, secrets or unset',
  );

export type ChangeConfigBody = z.output<typeof changeConfigBodySchema>;

const variableViewSchema = z.object({
  name: z.string(),
  secret: z.boolean(),
  value: z.string().describe(`${HIDDEN_SECRET} for a secret, and for a plain value under the name of one`),
  environment: environmentSchema.nullable().describe('The one it is for; null for every one'),
  changedAt: z.iso.datetime().nullable().describe('Null for what version 0.1 stored'),
  changedBy: z.string().nullable(),
  origin: z
    .object({ kind: z.enum(['locker', 'vault']), name: z.string() })
    .nullable()
    .describe('The handle or legacy alias that the value was copied from; null for one that was typed'),
});

const pendingSchema = z.object({
  environment: environmentSchema,
  releaseId: z.string().describe('The release that serves'),
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});

const declaredSchema = z.object({
  name: z.string(),
  secret: z.boolean(),
  required: z.boolean().describe('A deploy without a value fails before its build'),
  hasDefault: z.boolean().describe('The catalog has a value for where none is set'),
});

/** Reply of GET /services/:id/config. */
export const configViewSchema = z.object({
  declared: z
    .array(declaredSchema)
    .describe('Variables that the catalog declared when it was last read; empty before the first build'),
  variables: z.array(variableViewSchema).describe('By name, and of one name that of every environment first'),
  pending: z
    .array(pendingSchema)
    .describe('Names whose stored values differ from those that a release serves with; they change with a deploy'),
});

export type ConfigView = z.infer<typeof configViewSchema>;

/** Reply of PATCH /services/:id/config. */
export const configChangedSchema = z.object({
  changeId: z.string(),
  environment: environmentSchema.nullable(),
  set: z.array(z.string()),
  unset: z.array(z.string()),
  absent: z.array(z.string()).describe('Names that were to be removed and were not there'),
  warnings: z.array(z.string()),
});

/** Reply of GET /services/:id/config/values. */
export const configValuesSchema = z.object({
  environment: environmentSchema,
  variables: z.record(z.string(), z.string()),
});

export const configHistoryEntrySchema = z.object({
  id: z.string(),
  environment: environmentSchema.nullable(),
  changedBy: z.string(),
  at: z.iso.datetime(),
  set: z.array(z.string()),
  setSecret: z.array(z.string()),
  unset: z.array(z.string()),
  made: z.boolean().describe('False while the change is not known to have taken effect'),
});
