import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Place, ServiceDeclaration } from './change-entry.ts';
import type { DeployManifest, DeployRecord, DeploySnapshot, PackageChangelog } from './deploy-record.ts';
import type { DeployKey } from './ports.ts';
import type {
  AnnouncedModules,
  Binding,
  Changelog,
  Registration,
  RegistryEnvironment,
  ServiceMetadata,
} from './service-entry.ts';

/** A write to a service in one environment, by a deploy of a known epoch. */
export interface DeployPlace extends Place {
  readonly serviceId: string;
}

/**
 * The service registry as the builder uses it. Every write is idempotent: a request whose answer was lost is made again.
 *
 * @throws UNAVAILABLE (retryable, of the system `registry`) when it is away; SERVICE_NOT_FOUND of a service that was not
 *   declared, or that was removed; CONFLICT for a write of a deploy that a newer one has followed
 */
export interface ServiceRegistry {
  /** Makes the plugin record of a service, or brings it up to date. */
  declare(service: ServiceDeclaration, signal?: AbortSignal): Promise<void>;
  /** @returns its name, `{service}-{environment}` */
  createNamespace(serviceId: string, environment: Environment, signal?: AbortSignal): Promise<string>;
  register(place: DeployPlace, registration: Omit<Registration, 'registeredAt'>, signal?: AbortSignal): Promise<void>;
  /** Tells which modules a deploy is about to serve; the last word counts until the release is registered. */
  announceModules(
    target: { readonly serviceId: string; readonly environment: Environment },
    announced: AnnouncedModules,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Puts roles and what people sign up for in the place of what there is. */
  putMetadata(place: DeployPlace, metadata: ServiceMetadata, signal?: AbortSignal): Promise<void>;
  listBindings(
    target: { readonly serviceId: string; readonly environment: RegistryEnvironment },
    page: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<Binding>>;
  putBinding(place: DeployPlace, binding: Omit<Binding, 'namespace'>, signal?: AbortSignal): Promise<void>;
  /** No error when there is none. */
  removeBinding(place: DeployPlace, name: Pick<Binding, 'kind' | 'name'>, signal?: AbortSignal): Promise<void>;
  putManifest(key: DeployKey, manifest: DeployManifest, signal?: AbortSignal): Promise<void>;
  putSnapshot(key: DeployKey, snapshot: DeploySnapshot, signal?: AbortSignal): Promise<void>;
  /** The newest deploy with a manifest; null before the first, and for a service that is not known. */
  lastManifest(
    target: { readonly serviceId: string; readonly environment: Environment },
    signal?: AbortSignal,
  ): Promise<DeployRecord | null>;
  publishChangelog(
    service: { readonly id: string; readonly name: string },
    changelog: Omit<Changelog, 'walkthroughUpdatedAt'>,
    signal?: AbortSignal,
  ): Promise<void>;
  /** @throws NOT_FOUND without a changelog */
  attachWalkthrough(
    service: { readonly id: string; readonly name: string },
    walkthroughUrl: string,
    signal?: AbortSignal,
  ): Promise<void>;
  findPackageChangelog(
    name: string,
    version: string,
    signal?: AbortSignal,
  ): Promise<Omit<PackageChangelog, 'publishedBy'> | null>;
  /** Removes all of a service: its bindings in every environment, and the rest of its entry. No error when it is gone. */
  removeService(serviceId: string, signal?: AbortSignal): Promise<void>;
}
