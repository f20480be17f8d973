import { z } from 'zod';
import { type ServiceUrls, serviceUrls } from '../../domain/service-addresses.ts';
import { type EnvSource, readTogether, readVariables } from '../read-variables.ts';
import { buildProxySection } from './build-proxy.ts';
import { databaseAddressSection } from './databases.ts';
import { statusPageSection } from './monitor-service.ts';
import {
  dataSection,
  healthHostSection,
  platformOrgSection,
  platformSocketSection,
  registrySection,
} from './platform.ts';
import { serviceUrlsSection } from './service-urls.ts';
import { port, text } from './variable-kinds.ts';

/** Where the local edge router listens. */
export const edgePortsSection = {
  EDGE_PORT: port.default(8000),
  /** Without it the router does not listen over TLS. */
  EDGE_TLS_PORT: port.optional(),
};

/** What the local edge router reads. */
export const edgeSection = {
  ...dataSection,
  ...platformSocketSection,
  ...buildProxySection,
  ...registrySection,
  ...databaseAddressSection,
  ...edgePortsSection,
  ...platformOrgSection,
  ...statusPageSection,
  /** Where clients reach EDGE_TLS_PORT, which redirects name: 443 where the machine in front leads that to it. */
  EDGE_TLS_PUBLIC_PORT: port.optional(),
  ...healthHostSection,
  /** Where it tells whether it serves: see adapters/process/health-server.ts. Without it nothing listens. */
  EDGE_HEALTH_PORT: port.optional(),
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
