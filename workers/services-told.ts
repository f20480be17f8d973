import type { DeploysDeps } from '../activities/deploys/deps.ts';
import type { afterInstallSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createUptimeMonitor } from '../adapters/monitor/uptime-monitor.ts';
import { createServiceRegistry } from '../adapters/registry/service-registry.ts';
import { createSiteRegistry } from '../adapters/site-registry/site-registry.ts';
import { createHttpTestRunner } from '../adapters/test-runner/http-test-runner.ts';
import { createWalletReader } from '../adapters/wallet/wallet-reader.ts';
import { CONTAINER_TESTS } from '../domain/deploys/gated-tests.ts';
import { SITE_HOOKS_SCOPE, SITE_REGISTRY_CLIENT, serviceRow } from '../domain/services.ts';
import { createServiceTokens } from '../sdk/auth/service-tokens.ts';
import type { WorkerParts } from './module.ts';

type Parts = Pick<WorkerParts<ReadSection<typeof afterInstallSection>>, 'env' | 'settings'>;

type ServicesTold = Pick<DeploysDeps, 'wallet' | 'serviceRegistry' | 'monitor' | 'siteRegistry'>;

/** The services of the platform that deploys ask and tell; each is null where what it needs is not set. */
export function composeServicesTold(parts: Parts): ServicesTold {
  return {
    wallet: composeWallet(parts),
    serviceRegistry: composeServiceRegistry(parts),
    monitor: composeMonitor(parts),
    siteRegistry: composeSiteRegistry(parts),
  };
}

function composeWallet({ settings: { urls, internalKey } }: Parts): DeploysDeps['wallet'] {
  if (urls.wallet === undefined || internalKey === undefined) return null;
  return createWalletReader({ url: urls.wallet, internalKey });
}

function composeServiceRegistry({ settings: { urls, internalKey } }: Parts): DeploysDeps['serviceRegistry'] {
  if (urls.registry === undefined || internalKey === undefined) return null;
  return createServiceRegistry({ url: urls.registry, internalKey });
}

function composeMonitor({ env, settings: { internalKey } }: Parts): DeploysDeps['monitor'] {
  const key = env.MONITOR_INTERNAL_KEY ?? internalKey;
  if (env.MONITOR_URL === undefined || key === undefined) return null;
  return createUptimeMonitor({ url: env.MONITOR_URL, internalKey: key });
}

/** By the builder's own client; null where it takes no word of deploys, or anything of it is not set. */
function composeSiteRegistry({ env, settings: { urls } }: Parts): DeploysDeps['siteRegistry'] {
  const { SITE_REGISTRY_URL: url, SITE_REGISTRY_HOOKS: isTold, BUILDER_CLIENT_SECRET: clientSecret } = env;
  if (!isTold || url === undefined || urls.idp === undefined || clientSecret === undefined) return null;
  const clientId = serviceRow('builder').platformClient;
  const options = { idpUrl: urls.idp, clientId, clientSecret, scope: SITE_HOOKS_SCOPE, audience: SITE_REGISTRY_CLIENT };
  return createSiteRegistry({ url, tokens: createServiceTokens(options) });
}

/** Null where no address of one is set. */
export function composeHttpTestRunner({ env, settings: { internalKey } }: Parts): DeploysDeps['testRunner'] {
  const { TEST_RUNNER_URL: url } = env;
  if (url === undefined || url === CONTAINER_TESTS || internalKey === undefined) return null;
  return createHttpTestRunner({ url, internalKey });
}
