import { z } from 'zod';
import { folder, mongodbUri, orgSlug, secret, text } from './variable-kinds.ts';

/** Variables of the installation, which several modules and processes read. */

/** How a process logs, and which commit it runs. */
export const processSection = {
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  PLATFORM_COMMIT: text.default('unknown'),
};

/** Where the health ports of worker and router listen; the HTTP services tell their health where they serve. */
export const healthHostSection = {
  HEALTH_HOST: text.default('127.0.0.1'),
};

/** The registry that images of deploys are pushed to. */
export const registrySection = {
  DOCKER_REGISTRY: text.default('localhost:5050'),
};

export const temporalSection = {
  TEMPORAL_ADDRESS: text.default('localhost:7233'),
  TEMPORAL_NAMESPACE: text.default('default'),
  // As the Temporal CLI and its SDKs name them. With any of them the connection is TLS.
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text.optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: text.optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: text.optional(),
  /** The name in the server's certificate, where that is not its address. */
  TEMPORAL_TLS_SERVER_NAME: text.optional(),
};

/** Where Temporal is, and by which files both sides prove who they are. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  /** Null: the connection is not encrypted. */
  readonly tls: TemporalTlsFiles | null;
}

/** Paths of PEM files. */
export interface TemporalTlsFiles {
  /** Undefined: the authorities that the system trusts. */
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
}

export function temporalSettings(env: z.infer<z.ZodObject<typeof temporalSection>>): TemporalSettings {
  const tls = {
    ca: env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    certificate: env.TEMPORAL_TLS_CLIENT_CERT_PATH,
    key: env.TEMPORAL_TLS_CLIENT_KEY_PATH,
    serverName: env.TEMPORAL_TLS_SERVER_NAME,
  };
  const isEncrypted = Object.values(tls).some((value) => value !== undefined);
  return { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE, tls: isEncrypted ? tls : null };
}

/** The builder's database; its server has those of the other services unless they have one of their own. */
export const mongoSection = {
  MONGODB_URI: secret(mongodbUri.default('mongodb://localhost:27017/builder')),
};

/** Where files are kept. */
export const dataSection = {
  DATA_DIR: folder.prefault('.fairlead'),
};

/** The org that runs the installation. */
export const platformOrgSection = {
  PLATFORM_ORG: orgSlug.default('platform'),
};

/** The socket by which workloads reach the platform on this machine: see adapters/edge-router/platform-proxy.ts. */
export const platformSocketSection = {
  PLATFORM_SOCKET: text.optional(),
};
