import type { Logger } from 'pino';
import { equalsSecret } from '../adapters/crypto/equals-secret.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createInternalKeyAuth } from './http/caller.ts';
import type { AppOptions } from './http/create-app.ts';
import type { HealthOptions } from './http/health.ts';
import { ownVersion } from './own-version.ts';

/** What the environment says to every service alike. */
export interface ServiceEnv {
  readonly INTERNAL_SERVICE_KEY: string;
  readonly PLATFORM_ORG: string;
  readonly PLATFORM_COMMIT: string;
  readonly REQUESTS_PER_MINUTE: number;
  readonly TRUSTED_PROXIES: readonly string[];
}

type ServiceOptions = Omit<AppOptions, 'title' | 'version' | 'health' | 'routes'> & { readonly health: HealthOptions };

/** Options that every service's app is made with: callers by the internal key, limits, log and health. */
export async function serviceOptions(
  env: ServiceEnv,
  parts: {
    readonly log: Logger;
    readonly stopping: AbortController;
    readonly now: HealthOptions['now'];
    readonly checks: HealthOptions['checks'];
  },
): Promise<ServiceOptions> {
  return {
    authenticate: createInternalKeyAuth({ key: env.INTERNAL_SERVICE_KEY, org: env.PLATFORM_ORG, equalsSecret }),
    newId,
    log: parts.log,
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    trustedProxies: env.TRUSTED_PROXIES,
    stopping: parts.stopping.signal,
    health: { commit: env.PLATFORM_COMMIT, version: await ownVersion(), now: parts.now, checks: parts.checks },
  };
}
