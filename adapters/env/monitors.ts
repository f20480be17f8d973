import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { domainTargetsSection } from './custom-domains.ts';
import { edgePortsSection } from './edge.ts';
import { webhookSection } from './notifications.ts';
import { dataSection } from './platform.ts';
import { isDnsServer } from './properties.ts';
import { commaList, encryptionKeys, secret, text } from './variable-kinds.ts';

const PORT = /^(?<host>\[[0-9a-f:]+\]|[a-z0-9.-]+):(?<port>\d{1,5})$/i;
const target = z
  .string()
  .regex(PORT, 'a host and a port, such as example.com:443')
  .transform((text) => {
    const { host = '', port = '' } = PORT.exec(text)?.groups ?? {};
    return { host, port: Number(port) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, 'a port from 1 to 65535');

const NETWORK = /^(?:(?<org>[a-z0-9][a-z0-9-]{0,62}|\*)=)?(?<network>[^=]+)$/;
const allowedNetwork = z
  .string()
  .regex(NETWORK, 'a network such as 10.0.0.0/8, acme=10.0.0.0/8 or *=10.0.0.0/8')
  .transform((written) => {
    const { org = null, network = '' } = NETWORK.exec(written)?.groups ?? {};
    return { org, network };
  })
  .refine(({ network }) => ipaddr.isValidCIDR(network), 'networks such as 10.0.0.0/8');

/** `org`: a slug; `*` for every org; null for the platform's. */
export type AllowedNetwork = z.output<typeof allowedNetwork>;

/** What the prober of the uptime monitor reads. */
export const monitorsWorkerSection = {
  ...dataSection,
  ...edgePortsSection,
  /** Where requests to services come in: checked also where it is a private address. */
  INGRESS_TARGET: domainTargetsSection.INGRESS_TARGET,
  /** What its name leads to is that place where there is no INGRESS_TARGET. */
  PLATFORM_DOMAIN: text.default('localhost'),
  /** Networks whose addresses are checked besides public ones, and whose monitors check them. */
  MONITOR_ALLOWED_NETWORKS: commaList.pipe(z.array(allowedNetwork)).default([]),
  /** Asked when checks fail. They answer while this machine has a network; without any, a cut is taken for outages. */
  MONITOR_CONTROL_TARGETS: commaList.pipe(z.array(target)).default([]),
  /** DNS servers that names of targets are asked of; those of the machine when it is not set. */
  MONITOR_NAME_SERVERS: commaList
    .refine((list) => list.every(isDnsServer), 'a list of addresses of DNS servers')
    .default([]),
  /** Called each minute in which the checks are on time. Whoever knows it can call it. */
  MONITOR_DEAD_MAN_URL: secret(z.url({ protocol: /^https?$/ }).optional()),
  /** The keys of the secrets that checks send: without them this worker makes no check that needs one. */
  MONITOR_ENCRYPTION_KEY: secret(encryptionKeys.optional()),
  ...webhookSection,
};
