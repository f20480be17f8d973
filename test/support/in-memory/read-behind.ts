import type { ServiceStore } from '../../../domain/catalog/ports.ts';

/**
 * The store as a database shows it that fails over: `find` answers for these services, by id or name, what it would have
 * answered when this was called. What a majority confirms is of now.
 */
export async function readBehind(services: ServiceStore, idsOrNames: readonly string[]): Promise<ServiceStore> {
  const before = new Map<string, Awaited<ReturnType<ServiceStore['find']>>>();
  for (const idOrName of idsOrNames) before.set(idOrName, await services.find(idOrName));
  return {
    ...services,
    find: async (idOrName) => {
      const known = before.get(idOrName);
      return known === undefined ? await services.find(idOrName) : known;
    },
  };
}
