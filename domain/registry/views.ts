import type { z } from 'zod';
import { plainText } from '../plain-text.ts';
import type { DeployRecord, PackageChangelog } from './deploy-record.ts';
import type {
  changelogViewSchema,
  deployViewSchema,
  entryViewSchema,
  metadataViewSchema,
  moduleViewSchema,
  namespaceViewSchema,
  packageChangelogViewSchema,
  pluginViewSchema,
  registrationViewSchema,
  serviceRoutesSchema,
} from './schema.ts';
import {
  type Changelog,
  type EnvironmentEntry,
  REGISTRY_ENVIRONMENTS,
  type Registration,
  type RegistryEnvironment,
  type ServiceEntry,
  type ServiceMetadata,
} from './service-entry.ts';

/** What the registry's HTTP API shows of its records. */

export function pluginView(entry: ServiceEntry): z.infer<typeof pluginViewSchema> {
  return { ...commonView(entry), environments: environmentsOf(entry).map(([environment]) => environment) };
}

export function entryView(entry: ServiceEntry): z.infer<typeof entryViewSchema> {
  return {
    ...commonView(entry),
    environments: environmentsOf(entry).map(
      ([environment, { namespace, since, registration, metadata, bindings }]) => ({
        environment,
        namespace,
        since: since.toISOString(),
        registration: registration === null ? null : registrationView(registration),
        metadata: metadata === null ? null : metadataView(metadata),
        bindings: [...bindings],
      }),
    ),
  };
}

function commonView({ id, name, org, changelog, revision, updatedAt }: ServiceEntry) {
  return {
    service: name,
    serviceId: id,
    org,
    hasChangelog: changelog !== null,
    revision,
    updatedAt: updatedAt.toISOString(),
  };
}

/** The routes of a service in one environment: one item, or none while it is not registered there. */
export function routesView(
  { id, name, org, environments }: ServiceEntry,
  environment: RegistryEnvironment,
): readonly z.infer<typeof serviceRoutesSchema>[] {
  const place = environments[environment];
  if (place === undefined || place.registration === null) return [];
  const { namespace, registration } = place;
  return [{ service: name, serviceId: id, org, namespace, environment, ...registrationView(registration) }];
}

export function namespaceViews({ id, name, org, ...entry }: ServiceEntry): z.infer<typeof namespaceViewSchema>[] {
  return environmentsOf(entry).map(([environment, { namespace, since }]) => ({
    ...{ namespace, service: name, serviceId: id, org, environment },
    since: since.toISOString(),
  }));
}

export function moduleViews({ id, name, org, ...entry }: ServiceEntry): z.infer<typeof moduleViewSchema>[] {
  return environmentsOf(entry).flatMap(([environment, { registration, announced }]) => {
    const serving = registration?.modules ?? [];
    const coming = (announced?.modules ?? []).filter((module) => !serving.some((other) => other.name === module.name));
    const of = { service: name, serviceId: id, org, environment };
    return [
      ...serving.map((module) => ({ ...readable(module), ...of, serving: true })),
      ...coming.map((module) => ({ ...readable(module), ...of, serving: false })),
    ];
  });
}

export function changelogView(service: string, changelog: Changelog): z.infer<typeof changelogViewSchema> {
  const { deployedAt, walkthroughUpdatedAt, ...rest } = changelog;
  return {
    service,
    ...rest,
    deployedAt: deployedAt.toISOString(),
    walkthroughUpdatedAt: walkthroughUpdatedAt?.toISOString() ?? null,
  };
}

export function deployView({ buildId, environment, at, manifest, snapshot }: DeployRecord) {
  const shown = {
    buildId,
    environment,
    at: at.toISOString(),
    manifest: manifest === null ? null : { ...manifest, sdkVersions: { ...manifest.sdkVersions } },
    snapshot: snapshot === null ? null : { ...snapshot, config: [...snapshot.config], secrets: [...snapshot.secrets] },
  };
  return shown satisfies z.infer<typeof deployViewSchema>;
}

export function packageChangelogView(changelog: PackageChangelog): z.infer<typeof packageChangelogViewSchema> {
  const { package: name, version, notes, publishedAt } = changelog;
  return { package: name, version, notes, publishedAt: publishedAt.toISOString() };
}

function registrationView({ registeredAt, ...registration }: Registration): z.infer<typeof registrationViewSchema> {
  return {
    ...registration,
    routes: registration.routes.map((route) => ({ ...route, methods: [...route.methods] })),
    modules: registration.modules.map(readable),
    registeredAt: registeredAt.toISOString(),
  };
}

function metadataView({ roles, registration }: ServiceMetadata): z.infer<typeof metadataViewSchema> {
  return { roles: roles.map(readable), registration: registration === null ? null : readable(registration) };
}

/** With title and description as people may read them, who take what they see for the platform's words. */
function readable<T extends { readonly title: string | null; readonly description?: string | null }>(told: T): T {
  const { title, description } = told;
  const texts = { title: title === null ? null : plainText(title) };
  return { ...told, ...texts, ...(description == null ? {} : { description: plainText(description) }) };
}

function environmentsOf({ environments }: Pick<ServiceEntry, 'environments'>) {
  return REGISTRY_ENVIRONMENTS.flatMap((environment): (readonly [RegistryEnvironment, EnvironmentEntry])[] => {
    const place = environments[environment];
    return place === undefined ? [] : [[environment, place]];
  });
}
