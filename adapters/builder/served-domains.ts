import { z } from 'zod';
import { eachItem } from '../../domain/each-item.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import type { ServedDomains } from '../../domain/monitors/ports.ts';
import { domainKey } from '../../domain/monitors/registration.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { createPlatformCall, type PlatformConnection } from '../platform-call/platform-call.ts';

const BUILDER = { system: 'builder', title: 'The builder', keyVariable: 'INTERNAL_SERVICE_KEY' };

const domainsSchema = pageSchema(
  z.object({ domain: z.string(), service: z.string(), environment: environmentSchema, state: z.string() }),
);

/** Names that services have, read of the builder page by page. One that is being removed is theirs no more. */
export function createServedDomains(connection: PlatformConnection): ServedDomains {
  const call = createPlatformCall(connection, BUILDER);
  return {
    async list(signal) {
      const keys = new Set<string>();
      const read = ({ cursor, limit }: { readonly cursor: string | null; readonly limit: number }) => {
        const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
        return call(domainsSchema, { method: 'GET', path: `/domains?${query}`, signal });
      };
      for await (const { domain, service, environment, state } of eachItem(read, signal)) {
        if (state !== 'removing') keys.add(domainKey(service, environment, domain));
      }
      return keys;
    },
  };
}
