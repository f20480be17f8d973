import { dirname, join } from 'node:path';
import { registryHost } from '../docker/registry-auth.ts';
import { type BuildEgress, registryEntry } from './egress-rules.ts';

/**
 * Where the second proxy listens: that of the engine of builds, beside the one of RUN steps. The engine pulls base images
 * and pushes to the platform's registry by it.
 */
export function engineProxySocket(buildProxySocket: string): string {
  return join(dirname(buildProxySocket), 'engine.sock');
}

/** What the engine of builds reaches: every public registry, and the platform's own whatever address it has. */
export function engineEgress({ registries }: BuildEgress, registry: string): BuildEgress {
  return { registries: [...registries, registryEntry(registryHost({ address: registry }))], reach: 'public' };
}
