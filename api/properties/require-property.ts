import { FairleadError } from '../../domain/errors.ts';
import type { PropertyStore } from '../../domain/properties/ports.ts';
import type { Property } from '../../domain/properties/property.ts';

/** @throws NOT_FOUND */
export async function requireProperty(
  { properties }: { readonly properties: Pick<PropertyStore, 'find'> },
  domain: string,
): Promise<Property> {
  const property = await properties.find(domain);
  if (property !== null) return property;
  throw new FairleadError('NOT_FOUND', `There is no Property ${domain}; GET /api/properties lists all`);
}
