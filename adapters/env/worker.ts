import { z } from 'zod';
import { type ServiceUrls, serviceUrls } from '../../domain/service-addresses.ts';
import { SERVICE_ROWS, type StoringServiceName } from '../../domain/services.ts';
import { type EnvSource, readTogether, readVariables } from '../read-variables.ts';
import { type MetricsSettings, metricsSettings, workerMetricsSection } from './metrics.ts';
import {
  healthHostSection,
  platformOrgSection,
  processSection,
  type TemporalSettings,
  temporalSection,
  temporalSettings,
} from './platform.ts';
import { hasDatabase, readServiceDatabase, type ServiceDatabase } from './service-database.ts';
import { serviceUrlsSection } from './service-urls.ts';
import { internalKey, port, secret, text } from './variable-kinds.ts';

/** What a worker reads, whichever modules it serves. */
export const workerSection = {
  ...processSection,
  ...temporalSection,
  ...platformOrgSection,
  INTERNAL_SERVICE_KEY: secret(internalKey.optional()),
  /** The identity provider's key; INTERNAL_SERVICE_KEY when it is not set. */
  IDP_INTERNAL_KEY: secret(internalKey.optional()),
  /** A prebuilt bundle of the workflows; without it they are bundled at the start. */
  WORKFLOW_BUNDLE: text.optional(),
  ...workerMetricsSection,
  ...healthHostSection,
  /** Where it tells whether it serves: see adapters/process/health-server.ts. Without it nothing listens. */
  WORKER_HEALTH_PORT: port.optional(),
};

export interface WorkerSettings {
  /** Where the data of each service is. */
  readonly databases: Readonly<Record<StoringServiceName, ServiceDatabase>>;
  readonly temporal: TemporalSettings;
  readonly internalKey: string | undefined;
  /** The identity provider's. */
  readonly providerKey: string | undefined;
  readonly platformOrg: string;
  readonly logLevel: z.infer<typeof processSection.LOG_LEVEL>;
  readonly workflowBundle: string | undefined;
  /** Undefined: nobody asks. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
  /** Null: nobody is told. */
  readonly metrics: MetricsSettings | null;
  /** Addresses of the services that are known here. */
  readonly urls: ServiceUrls;
}

/** @throws VALIDATION_FAILED listing every bad variable */
export function readWorkerSettings(source: EnvSource): WorkerSettings {
  const { env, urls, databases } = readTogether({
    env: () => readVariables(z.object(workerSection), source),
    urls: () => readVariables(z.object(serviceUrlsSection), source),
    databases: () => readDatabases(source),
  });
  return {
    databases,
    temporal: temporalSettings(env),
    internalKey: env.INTERNAL_SERVICE_KEY,
    providerKey: env.IDP_INTERNAL_KEY ?? env.INTERNAL_SERVICE_KEY,
    platformOrg: env.PLATFORM_ORG,
    logLevel: env.LOG_LEVEL,
    workflowBundle: env.WORKFLOW_BUNDLE,
    health: env.WORKER_HEALTH_PORT === undefined ? undefined : { host: env.HEALTH_HOST, port: env.WORKER_HEALTH_PORT },
    metrics: metricsSettings(env, 'WORKER_METRICS_PORT', env.WORKER_METRICS_PORT),
    urls: serviceUrls(urls),
  };
}

function readDatabases(source: EnvSource): WorkerSettings['databases'] {
  const stored = SERVICE_ROWS.filter(hasDatabase);
  const readers = stored.map((row) => [row.name, () => readServiceDatabase(row, source)] as const);
  return readTogether(Object.fromEntries(readers) as Record<StoringServiceName, () => ServiceDatabase>);
}
