import { z } from 'zod';
import { type ServiceUrls, serviceUrls } from '../../domain/service-addresses.ts';
import { type EnvSource, readTogether, readVariables } from '../read-variables.ts';
import { buildProxySection } from './build-proxy.ts';
import { databaseAddressSection } from './databases.ts';
import { dataSection, platformSocketSection, registrySection } from './platform.ts';
import { serviceUrlsSection } from './service-urls.ts';
import { port, text } from './variable-kinds.ts';

/** What the local edge router reads. */
export const edgeSection = {
  ...dataSection,
  ...platformSocketSection,
  ...buildProxySection,
  ...registrySection,
  ...databaseAddressSection,
  EDGE_PORT: port.default(8000),
  HOST: text.default('127.0.0.1'),
  PLATFORM_DOMAIN: text.default('localhost'),
};

export type EdgeEnv = z.infer<z.ZodObject<typeof edgeSection>> & { readonly urls: ServiceUrls };

/** @throws VALIDATION_FAILED listing every bad variable */
export function readEdgeVariables(source: EnvSource): EdgeEnv {
  const { env, urls } = readTogether({
    env: () => readVariables(z.object(edgeSection), source),
    urls: () => readVariables(z.object(serviceUrlsSection), source),
  });
  return { ...env, urls: serviceUrls(urls) };
}
