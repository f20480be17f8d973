import { z } from 'zod';
import { type ServiceUrls, serviceUrls } from '../../domain/service-addresses.ts';
import type { ServiceRow } from '../../domain/services.ts';
import { type EnvSource, readTogether, readVariable, readVariables } from '../read-variables.ts';
import {
  platformOrgSection,
  processSection,
  type TemporalSettings,
  temporalSection,
  temporalSettings,
} from './platform.ts';
import { hasDatabase, readServiceDatabase, type ServiceDatabase } from './service-database.ts';
import { serviceUrlsSection } from './service-urls.ts';
import { commaList, internalKey, port, positiveCount, secret, text } from './variable-kinds.ts';

/** What every HTTP service reads under the same names. */
export const httpServiceSection = {
  ...processSection,
  ...temporalSection,
  ...platformOrgSection,
  HOST: text.default('127.0.0.1'),
  INTERNAL_SERVICE_KEY: secret(internalKey),
  /** The identity provider's key; INTERNAL_SERVICE_KEY when it is not set. */
  IDP_INTERNAL_KEY: secret(internalKey.optional()),
  /** Addresses or networks of reverse proxies whose X-Forwarded-For is believed; also `loopback`. */
  TRUSTED_PROXIES: commaList.default([]),
  /** By address; without it each service has a default of its own. */
  REQUESTS_PER_MINUTE: positiveCount.optional(),
};

const { INTERNAL_SERVICE_KEY: _key, IDP_INTERNAL_KEY: _providerKey, ...keylessSection } = httpServiceSection;

/** What a service of the table is started with. */
export interface ServiceSettings {
  readonly host: string;
  readonly port: number;
  /** Null for a service without one. */
  readonly mongo: ServiceDatabase | null;
  readonly temporal: TemporalSettings;
  /** Empty for a service that holds none, as is the next one. */
  readonly internalKey: string;
  /** The identity provider's. */
  readonly providerKey: string;
  readonly platformOrg: string;
  readonly commit: string;
  readonly logLevel: z.infer<typeof processSection.LOG_LEVEL>;
  readonly trustedProxies: readonly string[];
  readonly requestsPerMinute: number | undefined;
  /** Addresses of all services that are known here, its own among them where it was given. */
  readonly urls: ServiceUrls;
}

/** Reads what a row of the table says. @throws VALIDATION_FAILED listing every bad variable */
export function readServiceSettings(row: ServiceRow, source: EnvSource): ServiceSettings {
  const { env, keys, urls, ...own } = readTogether({
    env: () => readVariables(z.object(keylessSection), source),
    keys: () => (row.holdsNoKey === true ? NO_KEYS : readKeys(source)),
    urls: () => readVariables(z.object(serviceUrlsSection), source),
    port: () => readVariable(row.portVariable, port.default(row.defaultPort), source),
    mongo: () => (hasDatabase(row) ? readServiceDatabase(row, source) : null),
  });
  return {
    ...own,
    host: env.HOST,
    temporal: temporalSettings(env),
    ...keys,
    platformOrg: env.PLATFORM_ORG,
    commit: env.PLATFORM_COMMIT,
    logLevel: env.LOG_LEVEL,
    trustedProxies: env.TRUSTED_PROXIES,
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    urls: serviceUrls(urls),
  };
}

type Keys = Pick<ServiceSettings, 'internalKey' | 'providerKey'>;

const NO_KEYS: Keys = { internalKey: '', providerKey: '' };

function readKeys(source: EnvSource): Keys {
  const { INTERNAL_SERVICE_KEY, IDP_INTERNAL_KEY } = httpServiceSection;
  const env = readVariables(z.object({ INTERNAL_SERVICE_KEY, IDP_INTERNAL_KEY }), source);
  return {
    internalKey: env.INTERNAL_SERVICE_KEY,
    providerKey: env.IDP_INTERNAL_KEY ?? env.INTERNAL_SERVICE_KEY,
  };
}
