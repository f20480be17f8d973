import { z } from 'zod';
import {
  BINDING_KINDS,
  CHARGES,
  REGISTRY_ENVIRONMENTS,
  type RegistryEnvironment,
  type ServiceEntry,
} from '../../../domain/registry/service-entry.ts';

const text = z.string();
const nullableText = text.nullable();

const registration = z.object({
  buildId: text,
  releaseId: text,
  commit: nullableText,
  port: z.int(),
  url: text,
  healthEndpoint: text,
  routes: z.array(
    z.object({
      path: text,
      methods: z.array(text),
      auth: nullableText,
      gas: z.int(),
      charge: z.enum(CHARGES).nullable(),
      stripPrefix: nullableText,
    }),
  ),
  modules: z.array(z.object({ name: text, title: nullableText })),
  registeredAt: z.date(),
});

const environment = z.object({
  namespace: text,
  since: z.date(),
  epoch: z.int(),
  registration: registration.nullable(),
  // Absent in entries of before there were such.
  announced: z
    .object({ buildId: text, modules: z.array(z.object({ name: text, title: nullableText })) })
    .nullable()
    .default(null),
  metadata: z
    .object({
      roles: z.array(z.object({ name: text, title: nullableText, description: nullableText })),
      registration: z
        .object({ title: nullableText, description: nullableText, termsUrl: nullableText, privacyUrl: nullableText })
        .nullable(),
    })
    .nullable()
    .default(null),
  bindings: z.array(
    z.object({
      kind: z.enum(BINDING_KINDS),
      name: text,
      namespace: text,
      port: z.int(),
      path: text,
      cron: nullableText,
    }),
  ),
});

const environments = Object.fromEntries(
  REGISTRY_ENVIRONMENTS.map((name) => [name, environment.exactOptional()]),
) as Record<RegistryEnvironment, z.ZodExactOptional<typeof environment>>;

const entry = z.object({
  _id: text,
  name: text,
  org: text,
  serviceSince: z.date(),
  revision: z.int(),
  environments: z.object(environments),
  changelog: z
    .object({
      notes: text,
      version: nullableText,
      commit: nullableText,
      deployedAt: z.date(),
      walkthroughUrl: nullableText,
      walkthroughUpdatedAt: z.date().nullable(),
    })
    .nullable(),
  updatedAt: z.date(),
  removedAt: z.date().nullable(),
});

/** Reads an entry of the service registry as it is stored. */
export function readEntry(document: unknown): ServiceEntry {
  const { _id, ...fields } = entry.parse(document);
  return { id: _id, ...fields };
}
