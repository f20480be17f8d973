import { z } from 'zod';
import type { SiteRegistry } from '../../domain/deploys/site-registry.ts';
import { type CalledService, createPlatformCall, type TokenConnection } from '../platform-call/platform-call.ts';

/** A deploy waits for this call. */
const TIMEOUT_MS = 3_000;
const SITE_REGISTRY: CalledService = {
  system: 'site-registry',
  title: 'The site registry',
  keyVariable: 'BUILDER_CLIENT_SECRET',
  mostCharacters: 64 * 1024,
};
/** What it answers is for services that render pages; the builder needs none of it. */
const done = z.unknown();

/** The site registry over HTTP, by tokens of the builder's own client: it takes no shared key (spec 3, "Authentication"). */
export function createSiteRegistry(connection: TokenConnection): SiteRegistry {
  const call = createPlatformCall({ timeoutMs: TIMEOUT_MS, ...connection }, SITE_REGISTRY);
  const post = async (path: string, body: object, signal?: AbortSignal): Promise<void> => {
    await call(done, { method: 'POST', path, body, signal });
  };
  return {
    upsertProperty: (site, signal) => post('/properties/upsert-from-service', site, signal),
    deployed: (site, signal) => post('/hooks/deploy', site, signal),
    register: (site, signal) => post('/services/register', site, signal),
  };
}
