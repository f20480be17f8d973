import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { targetKey } from '../../domain/ids.ts';
import type { RegisteredTargets } from '../../domain/monitors/ports.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

const REGISTRY = { system: 'registry', title: 'The service registry', keyVariable: 'INTERNAL_SERVICE_KEY' };
const PAGE = 200;

const servicesSchema = pageSchema(z.object({ service: z.string() }));

/** Services with a release in an environment, read of the service registry page by page. */
export function createRegisteredTargets(connection: PlatformConnection): RegisteredTargets {
  const call = createPlatformCall(connection, REGISTRY);
  return {
    async list(signal) {
      const targets = new Set<string>();
      for (const environment of ENVIRONMENTS) {
        let cursor: string | null = null;
        do {
          const query = new URLSearchParams({
            environment,
            limit: String(PAGE),
            ...(cursor === null ? {} : { cursor }),
          });
          const page: z.output<typeof servicesSchema> = await call(servicesSchema, {
            ...{ method: 'GET', path: `/v1/routes?${query}`, signal },
          });
          for (const { service } of page.items) targets.add(targetKey(service, environment));
          cursor = page.nextCursor;
        } while (cursor !== null);
      }
      return targets;
    },
  };
}
