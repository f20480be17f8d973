import type { SiteRegistry } from '../../../domain/deploys/site-registry.ts';

export interface InMemorySiteRegistry extends SiteRegistry {
  /** What it was told, by the path that is called over HTTP; what is told twice is there once. */
  readonly told: ReadonlyMap<string, object>;
}

/** A site registry in this process. */
export function createInMemorySiteRegistry(): InMemorySiteRegistry {
  const told = new Map<string, object>();
  const keep =
    (path: string) =>
    async ({ ...site }: object, signal?: AbortSignal): Promise<void> => {
      signal?.throwIfAborted();
      told.set(path, site);
    };
  return {
    told,
    upsertProperty: keep('/properties/upsert-from-service'),
    deployed: keep('/hooks/deploy'),
    register: keep('/services/register'),
  };
}
