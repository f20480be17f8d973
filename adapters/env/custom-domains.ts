import { z } from 'zod';
import type { ModeSettings } from '../../domain/custom-domains/settings.ts';
import { certificatesSection } from './certificates.ts';
import { propertiesWorkerSection } from './properties.ts';
import { stackId } from './stack-id.ts';
import { baseUrl, commaList, flag, secret, text } from './variable-kinds.ts';

const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,62}$/i;
const hostName = z.string().regex(HOST, 'the name of a host');

/** Where names lead: what the builder and the worker both read, so that nobody adds one of these. */
export const domainTargetsSection = {
  /** Where requests to services come in: an address, which the direct mode needs, or the name of a host. */
  INGRESS_TARGET: z.union([z.ipv4(), z.ipv6(), hostName], { error: 'an IP address or the name of a host' }).optional(),
  /** The shared target of names in external mode. */
  SAAS_CNAME_TARGET: hostName.optional(),
};

/** By which there are modes: what the builder, which says so, and the worker both read. */
export const domainModesSection = {
  ...domainTargetsSection,
  /** Whether the platform writes records at the DNS provider; off, they are shown. */
  ENABLE_DNS_MANAGEMENT: flag.default(false),
  /** Of Cloudflare. */
  EDGE_DNS_API_TOKEN: secret(text.optional()),
  EDGE_DNS_ZONE_ID: text.optional(),
  /** Of names in external mode: whether the edge provider is told of each; on where its token and zone are set. */
  SAAS_ENABLED: flag.optional(),
  SAAS_ZONE_ID: text.optional(),
  /** By which certificates are issued: the direct mode needs it. */
  ACME_DIRECTORY_URL: certificatesSection.ACME_DIRECTORY_URL,
};

/** What the worker of custom domains reads besides. */
export const customDomainsSection = {
  ...domainModesSection,
  /** Of Cloudflare: the account in which zones are made. */
  EDGE_DNS_ACCOUNT_ID: text.optional(),
  /** Of PowerDNS, in the place of Cloudflare: its HTTP API, and the name servers of zones that are made. */
  POWERDNS_API_URL: baseUrl.optional(),
  POWERDNS_API_KEY: secret(text.optional()),
  POWERDNS_NAME_SERVERS: commaList
    .refine((list) => list.every((one) => HOST.test(one)), 'a list of names of hosts')
    .default([]),
  /** Targets whose records an add replaces. */
  DNS_REPLACEABLE_TARGETS: commaList
    .refine((list) => list.every((one) => HOST.test(one)), 'a list of names of hosts')
    .default([]),
  /** Public resolvers that are asked where names lead. */
  DNS_RESOLVERS: propertiesWorkerSection.DNS_RESOLVERS,
  STACK_ID: stackId,
};

/** What decides which modes there are, as the environment has it. The keys of stored secrets seal those of certificates. */
export function modeSettings(
  env: z.infer<z.ZodObject<typeof domainModesSection>> & { readonly CONFIG_ENCRYPTION_KEY?: unknown },
): ModeSettings {
  const { SAAS_ENABLED, SAAS_ZONE_ID, EDGE_DNS_ZONE_ID, EDGE_DNS_API_TOKEN } = env;
  const hasEdge = EDGE_DNS_API_TOKEN !== undefined && (SAAS_ZONE_ID ?? EDGE_DNS_ZONE_ID) !== undefined;
  return {
    ingressTarget: env.INGRESS_TARGET ?? null,
    customersTarget: env.SAAS_CNAME_TARGET ?? null,
    issuesCertificates: env.ACME_DIRECTORY_URL !== undefined && env.CONFIG_ENCRYPTION_KEY !== undefined,
    // By default where it is set up (spec 2, "Custom domains", 4).
    usesHostnames: SAAS_ENABLED ?? hasEdge,
  };
}
