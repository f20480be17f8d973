import { FairleadError } from '../errors.ts';
import type { PropertyStore } from './ports.ts';
import type { Property } from './property.ts';

/** More at once on one Property than this is nobody's work. */
const ATTEMPTS = 8;

/**
 * Changes a Property as it is by now: read again where somebody else changed it meanwhile.
 * @param change gives the next version, or null for none
 * @returns the version that is stored in the end; null when there is no such Property
 * @throws CONFLICT (retryable) when others change it all the time; what `change` throws
 */
export async function changeProperty(
  properties: Pick<PropertyStore, 'find' | 'replace'>,
  domain: string,
  change: (property: Property) => Property | null,
): Promise<Property | null> {
  for (let attempt = 1; ; attempt += 1) {
    const property = await properties.find(domain);
    const next = property === null ? null : change(property);
    if (next === null) return property;
    try {
      await properties.replace(next);
      return next;
    } catch (error) {
      const isConflict = error instanceof FairleadError && error.code === 'CONFLICT';
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
  }
}
