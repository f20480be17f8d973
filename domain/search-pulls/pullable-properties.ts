import type { PropertyStore } from '../properties/ports.ts';
import { statusOf } from '../properties/property.ts';
import type { PullableProperties } from './ports.ts';

/** Properties that are verified and not ignored, as the search engine names them: the whole domain, with all its hosts. */
export function createPullableProperties(properties: Pick<PropertyStore, 'find' | 'listAll'>): PullableProperties {
  return {
    async list(page) {
      const { items, nextCursor } = await properties.listAll(page);
      return { items: items.filter((one) => statusOf(one) === 'verified').map(({ domain }) => domain), nextCursor };
    },
    async find(domain) {
      const property = await properties.find(domain);
      if (property === null || statusOf(property) !== 'verified') return null;
      return { domain, siteUrl: `sc-domain:${domain}` };
    },
  };
}
