import { z } from 'zod';
import { folder, mongodbUri, orgSlug, secret, text } from './variable-kinds.ts';

/** Variables of the installation, which several modules and processes read. */

/** How a process logs, and which commit it runs. */
export const processSection = {
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  PLATFORM_COMMIT: text.default('unknown'),
};

export const temporalSection = {
  TEMPORAL_ADDRESS: text.default('localhost:7233'),
  TEMPORAL_NAMESPACE: text.default('default'),
};

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
