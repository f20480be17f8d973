import { FairleadError } from '../../domain/errors.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { DEPLOYS_KEPT } from '../../domain/registry/deploy-record.ts';
import { deployViewSchema, pluginViewSchema } from '../../domain/registry/schema.ts';
import type { DeploySource } from '../../domain/status-page/ports.ts';
import { createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

const REGISTRY = { system: 'registry', title: 'The service registry', keyVariable: 'INTERNAL_SERVICE_KEY' };
/** A page is shown without them rather than late. */
const TIMEOUT_MS = 1_500;

/** Deploys of services as the service registry has them: all that it keeps are one page. */
export function createServiceDeploys(connection: PlatformConnection): DeploySource {
  const call = createPlatformCall({ timeoutMs: TIMEOUT_MS, ...connection }, REGISTRY);
  return {
    async list({ serviceName, org, environment }, since) {
      try {
        const path = `/api/plugins/${encodeURIComponent(serviceName)}`;
        const { serviceId, org: owner } = await call(pluginViewSchema, { method: 'GET', path });
        // A service of another org may have the name by now.
        if (owner !== org) return [];
        const deploys = `/v1/services/${encodeURIComponent(serviceId)}/environments/${environment}/deploys?limit=${DEPLOYS_KEPT}`;
        const { items } = await call(pageSchema(deployViewSchema), { method: 'GET', path: deploys });
        const live = items.flatMap(({ buildId, at, manifest }) =>
          manifest === null ? [] : [{ buildId, commit: manifest.commit, at: new Date(at) }],
        );
        return live.filter(({ at }) => at >= since).reverse();
      } catch (error) {
        if (error instanceof FairleadError && error.code === 'SERVICE_NOT_FOUND') return [];
        throw error;
      }
    },
  };
}
