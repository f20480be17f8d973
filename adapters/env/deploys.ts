import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { EVERY_ORG } from '../../domain/deploy-gate/gate.ts';
import { CONTAINER_TESTS } from '../../domain/deploys/gated-tests.ts';
import { parseGitOwner } from '../../domain/deploys/git-credential.ts';
import { isOrgSlug } from '../../domain/org-slug.ts';
import { backupsSection } from './backups.ts';
import { buildProxySocketSection } from './build-proxy.ts';
import { domainModesSection } from './custom-domains.ts';
import { databasesSection } from './databases.ts';
import { monitorKeySection, statusPageSection } from './monitor-service.ts';
import { dataSection, platformSocketSection, registrySection } from './platform.ts';
import { urlsElsewhereSection } from './service-urls.ts';
import { stackId } from './stack-id.ts';
import {
  baseUrl,
  clientSecret,
  commaList,
  encryptionKeys,
  flag,
  folder,
  port,
  positiveCount,
  secret,
  text,
} from './variable-kinds.ts';

/** The keys of stored secrets: the first seals, all open. */
export const configSection = { CONFIG_ENCRYPTION_KEY: secret(encryptionKeys.optional()) };

/** Services that deploys tell of a release; each is optional, and the plan says which is not set. */
export const afterInstallSection = {
  MONITOR_URL: baseUrl.optional(),
  ...monitorKeySection,
  SITE_REGISTRY_URL: baseUrl.optional(),
  /** Whether it is told of deploys. Apart from its address, which workloads are given too: that of this version takes none. */
  SITE_REGISTRY_HOOKS: flag.default(false),
  /** Address of a test runner, or {@link CONTAINER_TESTS}. */
  TEST_RUNNER_URL: z
    .union([z.literal(CONTAINER_TESTS), baseUrl], { error: `an http or https address, or ${CONTAINER_TESTS}` })
    .optional(),
  /** By which the builder gets tokens for the locker and the site registry. */
  BUILDER_CLIENT_SECRET: clientSecret,
};

/** What the builder and the worker of its deploys both read. */
export const deploysSection = {
  ...dataSection,
  ...configSection,
  ...afterInstallSection,
  PLATFORM_DOMAIN: text.default('localhost'),
  EDGE_PORT: port.default(8000),
  /** Where the platform reaches the router, in whose place it asks services for their health; by default EDGE_PORT of this machine. */
  EDGE_INTERNAL_URL: z.url({ protocol: /^http$/ }).optional(),
  GIT_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Local repositories below it may be built, by administrators of the platform; none when it is not set. */
  LOCAL_SOURCES_ROOT: folder.optional(),
  ENFORCE_MINIMUM_CATALOG_VERSION: flag.default(false),
  /** Workloads run in the cluster of KUBECONFIG, and not in the container engine, which builds images in any case. */
  ENABLE_K8S_DEPLOY: flag.default(false),
};

/** What the builder alone reads. */
export const builderSection = {
  ...deploysSection,
  ...backupsSection,
  ...domainModesSection,
  // Their hosts are no service's, as those of all parts.
  ...statusPageSection,
  ...urlsElsewhereSection,
  /** What uploaded archives of one org may take together until they are built. */
  ORG_UPLOAD_QUOTA_BYTES: positiveCount.default(1024 ** 3),
  /** The vault that was there before the locker: `config set --from-vault` looks there for what the locker has not. */
  LEGACY_VAULT_URL: baseUrl.optional(),
  LEGACY_VAULT_TOKEN: secret(text.optional()),
};

/** What the worker of deploys reads. */
export const deploysWorkerSection = {
  ...deploysSection,
  ...databasesSection,
  ...platformSocketSection,
  ...buildProxySocketSection,
  ...registrySection,
  ...urlsElsewhereSection,
  WORKSPACE_DIR: folder.prefault('/tmp/iec-builds'),
  /** Path of the file with the address and the credentials of the cluster. */
  KUBECONFIG: text.optional(),
  /** Class of the ingress controllers that serve public routes as well; without it, none is asked to. */
  KUBERNETES_INGRESS_CLASS: text.optional(),
  /** Namespace whose pods bring requests to workloads, such as that of the ingress controllers. */
  KUBERNETES_EDGE_NAMESPACE: text.optional(),
  DOCKER_HOST: text.optional(),
  DOCKER_CLI: text.optional(),
  DOCKER_REGISTRY_USER: text.optional(),
  DOCKER_REGISTRY_TOKEN: secret(text.optional()),
  /** Set by an embedded stack, whose registry deletes nothing while it serves. */
  REGISTRY_DELETIONS: folder.optional(),
  STACK_ID: stackId,
  BASE_IMAGE_STAND_INS: flag.default(false),
  /** Packages whose upgrades need a changelog, besides those of the platform's SDK; a scope ends with `/`. */
  SDK_PACKAGES: commaList.default([]),
  /** Names of base images that may lie in the engine alone, and need not have been pulled. */
  LOCAL_BASE_IMAGES: commaList.default([]),
  /** What RUN steps reach: see docs/threat-model.md. */
  BUILD_NETWORK: z.enum(['default', 'sealed', 'none']).default('default'),
  /** Where the router listens: workloads reach it where others than this machine do. */
  HOST: text.default('127.0.0.1'),
  /** What workloads reach besides the internet, such as `10.0.3.0/24` or `10.0.3.7:5432`; see docs/threat-model.md. */
  WORKLOAD_NETWORKS: commaList
    .refine(
      (entries) => entries.every((entry) => openDestination(entry) !== null),
      'a list of IPv4 addresses or networks',
    )
    .transform((entries) => entries.flatMap((entry) => openDestination(entry) ?? []))
    .default([]),
  /** Where builds run: in an engine of the stack's own, or in that of the machine; see docs/threat-model.md. */
  BUILD_ENGINE: z.enum(['own', 'machine']).default('own'),
  /** Volume of the engine of builds; by default one of the stack's own. */
  BUILD_CACHE_VOLUME: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,100}$/, 'the name of a volume of the container engine')
    .optional(),
  /** What the RUN steps of one build may use: see domain/deploys/build-limits.ts. */
  BUILD_PROCESSES: positiveCount.default(4_096),
  BUILD_MEMORY_BYTES: positiveCount.default(4 * 1024 ** 3),
  BUILD_DISK_BYTES: positiveCount.default(10 * 1024 ** 3),
  ENABLE_AUTO_DOCKERFILE: flag.default(true),
  SECRETS_ENABLED: flag.default(false),
  /** Slugs of the orgs whose services may be deployed, or `*` for each org; empty: the platform's org. See docs/wallet.md. */
  ALLOWED_DEPLOY_ORGS: commaList
    .refine((orgs) => orgs.every((org) => org === EVERY_ORG || isOrgSlug(org)), 'a list of slugs of orgs, or *')
    .default([]),
  /** Names of services that pass the deploy gate without a check. */
  DEPLOY_GATE_SKIP_SERVICES: commaList.default([]),
  BUILD_CONCURRENCY: positiveCount.max(64).default(3),
  MIN_FREE_DISK_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(2 * 1024 ** 3),
  /** Free space below which old images are pruned; twice MIN_FREE_DISK_BYTES when it is not set. */
  LOW_DISK_BYTES: z.coerce.number().int().min(0).optional(),
  /** How long a new workload may take to answer its health endpoint. */
  READINESS_TIMEOUT_SECONDS: positiveCount.max(300).default(120),
  XDG_CACHE_HOME: text.optional(),
  HOME: text.default('/root'),
  /** Who owns what at git hosts, such as `acme=git.example/acme-inc`: see domain/deploys/git-credential.ts. */
  GIT_OWNERS: commaList
    .refine(
      (entries) => entries.every((entry) => parseGitOwner(entry) !== null),
      'a list such as acme=github.com/acme-inc',
    )
    .transform((entries) => entries.flatMap((entry) => parseGitOwner(entry) ?? []))
    .default([]),
  GIT_TOKEN: secret(text.optional()),
  GITHUB_TOKEN: secret(text.optional()),
};

/** `10.0.3.0/24`, `10.0.3.7`, or either with a port; null for anything else. */
function openDestination(entry: string): { readonly network: string; readonly port: number | null } | null {
  const [, network = '', port] = /^([\d./]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const isNetwork = ipaddr.IPv4.isValidFourPartDecimal(network) || ipaddr.IPv4.isValidCIDR(network);
  if (!isNetwork || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  return { network, port: port === undefined ? null : Number(port) };
}
