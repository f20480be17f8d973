import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { eachItem } from '../../domain/each-item.ts';

/**
 * The services that an org owns or shares, as one member of the database has them: what is given by one of them is given
 * by its record as a majority has it (`findConfirmed`). Null: all there are. @throws UNAVAILABLE
 */
export async function servicesOf(
  { services }: { readonly services: Pick<ServiceStore, 'list'> },
  org: string | null,
): Promise<readonly ServiceRecord[]> {
  const found: ServiceRecord[] = [];
  for await (const service of eachItem((page) => services.list({ org }, page))) found.push(service);
  return found;
}
