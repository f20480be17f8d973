import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { DeployKey } from '../../domain/registry/ports.ts';
import { bindingPageSchema, deployViewSchema, packageChangelogViewSchema } from '../../domain/registry/schema.ts';
import type { DeployPlace, ServiceRegistry } from '../../domain/registry/service-registry.ts';
import { createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

/** A deploy waits for each of these calls. */
const TIMEOUT_MS = 3_000;
const REGISTRY = { system: 'registry', title: 'The service registry', keyVariable: 'INTERNAL_SERVICE_KEY' };
/** What a write answers says nothing that the builder does not know. */
const done = z.object({});

/** The service registry over HTTP, with the key of the installation. */
export function createServiceRegistry(connection: PlatformConnection): ServiceRegistry {
  const call = createPlatformCall({ timeoutMs: TIMEOUT_MS, ...connection }, REGISTRY);
  const write = async (...[request]: readonly [Parameters<typeof call>[1]]): Promise<void> => {
    await call(done, request);
  };
  return {
    declare: ({ id, serviceSince, name, org }, signal) =>
      write({
        method: 'PUT',
        path: pathOf('v1', 'services', id),
        body: { name, org, serviceSince: serviceSince.toISOString() },
        signal,
      }),
    async createNamespace(serviceId, environment, signal) {
      const path = environmentPath({ serviceId, environment }, 'namespace');
      const reply = await call(z.object({ namespace: z.string() }), { method: 'PUT', path, body: {}, signal });
      return reply.namespace;
    },
    register: ({ epoch, ...place }, registration, signal) =>
      write({
        method: 'PUT',
        path: environmentPath(place, 'registration'),
        body: { epoch, ...registration },
        signal,
      }),
    announceModules: (target, announced, signal) =>
      write({ method: 'PUT', path: environmentPath(target, 'modules'), body: announced, signal }),
    putMetadata: ({ epoch, ...place }, metadata, signal) =>
      write({ method: 'PUT', path: environmentPath(place, 'metadata'), body: { epoch, ...metadata }, signal }),
    removeService: (serviceId, signal) =>
      write({ method: 'DELETE', path: pathOf('v1', 'services', serviceId), signal }),
    ...bindingCalls(call, write),
    ...deployCalls(call, write),
    ...changelogCalls(call, write),
  };
}

type Call = ReturnType<typeof createPlatformCall>;
type Write = (request: Parameters<Call>[1]) => Promise<void>;

function bindingCalls(
  call: Call,
  write: Write,
): Pick<ServiceRegistry, 'listBindings' | 'putBinding' | 'removeBinding'> {
  return {
    listBindings(target, { cursor, limit }, signal) {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
      const path = `${environmentPath(target, 'bindings')}?${query}`;
      return call(bindingPageSchema, { method: 'GET', path, signal });
    },
    putBinding: ({ epoch, ...place }, { kind, name, port, path, cron }, signal) =>
      write({
        method: 'PUT',
        path: environmentPath(place, 'bindings', kind, name),
        body: { epoch, port, path, cron },
        signal,
      }),
    removeBinding: ({ epoch, ...place }, { kind, name }, signal) =>
      write({
        method: 'DELETE',
        path: `${environmentPath(place, 'bindings', kind, name)}?epoch=${epoch}`,
        signal,
      }),
  };
}

function deployCalls(call: Call, write: Write): Pick<ServiceRegistry, 'putManifest' | 'putSnapshot' | 'lastManifest'> {
  const put =
    (part: 'manifest' | 'snapshot') =>
    ({ buildId, ...place }: DeployKey, body: object, signal?: AbortSignal) =>
      write({ method: 'PUT', path: environmentPath(place, 'deploys', buildId, part), body, signal });
  return {
    putManifest: put('manifest'),
    putSnapshot: put('snapshot'),
    async lastManifest(target, signal) {
      const path = environmentPath(target, 'manifest');
      const deploy = await unlessMissing(call(deployViewSchema.nullable(), { method: 'GET', path, signal }));
      return deploy === null ? null : { ...deploy, serviceId: target.serviceId, at: new Date(deploy.at) };
    },
  };
}

function changelogCalls(
  call: Call,
  write: Write,
): Pick<ServiceRegistry, 'publishChangelog' | 'attachWalkthrough' | 'findPackageChangelog'> {
  const changelog = (service: string): string => pathOf('api', 'plugins', service, 'changelog');
  return {
    publishChangelog: ({ id, name }, { deployedAt, ...given }, signal) =>
      write({
        method: 'POST',
        path: changelog(name),
        body: { serviceId: id, ...given, deployedAt: deployedAt.toISOString() },
        signal,
      }),
    attachWalkthrough: ({ id, name }, walkthroughUrl, signal) =>
      write({ method: 'PATCH', path: changelog(name), body: { serviceId: id, walkthroughUrl }, signal }),
    async findPackageChangelog(name, version, signal) {
      const path = pathOf('v1', 'package-changelogs', `${name}@${version}`);
      const found = await unlessMissing(call(packageChangelogViewSchema, { method: 'GET', path, signal }));
      if (found === null) return null;
      return {
        package: found.package,
        version: found.version,
        notes: found.notes,
        publishedAt: new Date(found.publishedAt),
      };
    },
  };
}

const pathOf = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

function environmentPath(
  { serviceId, environment }: Pick<DeployPlace, 'serviceId' | 'environment'>,
  ...rest: readonly string[]
): string {
  return pathOf('v1', 'services', serviceId, 'environments', environment, ...rest);
}

/** Null for what is not there: a service that is not known has nothing. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FairleadError && (error.code === 'SERVICE_NOT_FOUND' || error.code === 'NOT_FOUND'))
      return null;
    throw error;
  }
}
