import { z } from 'zod';
import { registryEntry } from '../build-proxy/egress-rules.ts';
import { PUBLIC_REGISTRIES } from '../build-proxy/package-registries.ts';
import { commaList, text } from './variable-kinds.ts';

/** Where the proxy of builds listens, by which their RUN steps reach out: see adapters/build-proxy/build-proxy.ts. */
export const buildProxySocketSection = {
  BUILD_PROXY_SOCKET: text.optional(),
};

/** What that proxy lets through. */
export const buildProxySection = {
  ...buildProxySocketSection,
  /** Package registries, which builds reach whatever address they have. */
  BUILD_REGISTRIES: commaList
    .refine((entries) => entries.every(isHost), 'a list of hosts, each with a port or without')
    .transform((entries) => entries.map(registryEntry))
    .default([...PUBLIC_REGISTRIES]),
  BUILD_EGRESS: z.enum(['public', 'registries']).default('public'),
};

function isHost(entry: string): boolean {
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.test(entry);
}
