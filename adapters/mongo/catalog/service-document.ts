import { z } from 'zod';
import { NOT_SHARED, type ServiceRecord, SHARING_CHANGES } from '../../../domain/catalog/service.ts';
import { REPO_ROLES } from '../../../domain/repo-role.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

const text = z.string();
const nullableText = text.nullable();
const credential = z.object({
  clientId: text,
  secret: sealedSecretSchema,
  byHand: z.object({ secretId: text, org: text.nullable() }).exactOptional(),
});

const names = z.array(text);
const grants = z.array(z.object({ id: text, name: text }));

const mark = z.object({
  changedAt: z.date(),
  changedBy: text,
  origin: z.object({ kind: z.enum(['locker', 'vault']), name: text }).exactOptional(),
});

const repoRole = z.enum(REPO_ROLES);

const sharing = z.object({
  revision: z.int(),
  orgs: z.array(z.object({ org: text, repoRole, authorizedBy: text, authorizedAt: z.date() })),
  lastChange: z
    .object({
      id: text,
      kind: z.enum(SHARING_CHANGES),
      org: text,
      repoRole: repoRole.nullable(),
      by: text,
      at: z.date(),
    })
    .nullable(),
});

const variableSet = z.object({
  config: z.record(text, text).default({}),
  secrets: z.record(text, sealedSecretSchema).default({}),
  marks: z.record(text, mark).default({}),
});

const serviceSchema = z.object({
  _id: text,
  name: text,
  org: text,
  authorizedOrgs: z.array(text),
  sharing: sharing.default(NOT_SHARED as z.output<typeof sharing>),
  gitUrl: nullableText,
  branch: nullableText,
  appPath: nullableText,
  dockerfilePath: nullableText,
  port: z.int().nullable(),
  ...variableSet.shape,
  overrides: z
    .object({
      prod: variableSet.exactOptional(),
      sandbox: variableSet.exactOptional(),
      uat: variableSet.exactOptional(),
    })
    .default({}),
  oauthCredentials: z
    .object({ prod: credential.exactOptional(), sandbox: credential.exactOptional(), uat: credential.exactOptional() })
    .default({}),
  credentialsStored: z
    .object({ prod: z.int().exactOptional(), sandbox: z.int().exactOptional(), uat: z.int().exactOptional() })
    .default({}),
  pendingGrants: z
    .object({ prod: grants.exactOptional(), sandbox: grants.exactOptional(), uat: grants.exactOptional() })
    .default({}),
  pendingCallbacks: z
    .object({ prod: names.exactOptional(), sandbox: names.exactOptional(), uat: names.exactOptional() })
    .default({}),
  namespaces: z
    .object({ prod: z.date().exactOptional(), sandbox: z.date().exactOptional(), uat: z.date().exactOptional() })
    .default({}),
  pulseMonitorIds: z
    .object({ prod: text.exactOptional(), sandbox: text.exactOptional(), uat: text.exactOptional() })
    .default({}),
  variablesRevision: z.int().default(0),
  lastBuildId: nullableText,
  removingSince: z.date().nullable().default(null),
  createdAt: z.date(),
  updatedAt: z.date(),
});

/** @throws ZodError naming the field for a document of another shape. */
export function readService(document: unknown): ServiceRecord {
  const { _id, ...rest } = serviceSchema.parse(document);
  return { id: _id, ...rest };
}
