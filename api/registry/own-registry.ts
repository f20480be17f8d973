import {
  announceModules,
  attachWalkthrough,
  createNamespace,
  putBinding,
  putChangelog,
  putMetadata,
  register,
  removeBinding,
} from '../../domain/registry/change-entry.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import { changeService, declareService, removeService, serviceUnknown } from './change-service.ts';
import type { RegistryDeps } from './deps.ts';
import { pageOfList } from './page-of-list.ts';

/** The service registry on its own stores: what the routes of the builder do, and what its client asks for. */
export function createOwnRegistry(deps: RegistryDeps): ServiceRegistry {
  const { entries, deploys, packages, now } = deps;

  /** @throws SERVICE_NOT_FOUND */
  async function find(id: string) {
    const entry = await entries.find(id);
    if (entry === null || entry.removedAt !== null) throw serviceUnknown(id);
    return entry;
  }

  return {
    async declare(declaration) {
      await declareService(deps, declaration);
    },
    async createNamespace(serviceId, environment) {
      const entry = await changeService(deps, serviceId, createNamespace(environment));
      return `${entry.name}-${environment}`;
    },
    async register({ serviceId, ...place }, registration) {
      await changeService(deps, serviceId, register(place, registration));
    },
    async announceModules({ serviceId, environment }, announced) {
      await changeService(deps, serviceId, announceModules(environment, announced));
    },
    async putMetadata({ serviceId, ...place }, metadata) {
      await changeService(deps, serviceId, putMetadata(place, metadata));
    },
    async listBindings({ serviceId, environment }, page) {
      const { bindings = [] } = (await find(serviceId)).environments[environment] ?? {};
      return pageOfList(bindings, page, ({ kind, name }) => `${kind} ${name}`);
    },
    async putBinding({ serviceId, ...place }, binding) {
      await changeService(deps, serviceId, putBinding(place, binding));
    },
    async removeBinding({ serviceId, ...place }, name) {
      await changeService(deps, serviceId, removeBinding(place, name));
    },
    async putManifest(key, manifest) {
      await find(key.serviceId);
      await deploys.put(key, { manifest }, now());
    },
    async putSnapshot(key, snapshot) {
      await find(key.serviceId);
      await deploys.put(key, { snapshot }, now());
    },
    async lastManifest(target) {
      const entry = await entries.find(target.serviceId);
      return entry === null || entry.removedAt !== null ? null : await deploys.lastManifest(target);
    },
    async publishChangelog({ id, name }, changelog) {
      if ((await find(id)).name !== name) throw serviceUnknown(name);
      await changeService(deps, id, putChangelog(changelog));
    },
    async attachWalkthrough({ id, name }, walkthroughUrl) {
      if ((await find(id)).name !== name) throw serviceUnknown(name);
      await changeService(deps, id, attachWalkthrough(walkthroughUrl));
    },
    async findPackageChangelog(name, version) {
      const found = await packages.find(name, version);
      if (found === null) return null;
      const { publishedBy: _, ...shown } = found;
      return shown;
    },
    removeService: (serviceId) => removeService(deps, serviceId),
  };
}
