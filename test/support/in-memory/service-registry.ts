import type { RegistryDeps } from '../../../api/registry/deps.ts';
import { createOwnRegistry } from '../../../api/registry/own-registry.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { ServiceRegistry } from '../../../domain/registry/service-registry.ts';
import { createInMemoryRegistryStores } from '../start-registry.ts';

/** The service registry in this process, without HTTP, and what it keeps. */
export function createInMemoryServiceRegistry({
  now,
}: {
  now: Clock;
}): ServiceRegistry & { readonly stores: RegistryDeps } {
  const stores = { ...createInMemoryRegistryStores(), now };
  return { ...createOwnRegistry(stores), stores };
}
