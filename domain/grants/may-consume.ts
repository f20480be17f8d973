import type { ServiceStore } from '../catalog/ports.ts';
import { databaseScope } from '../databases/consumer.ts';
import type { MayConsume } from '../databases/ports.ts';
import { hasScopesOf } from '../oauth-clients/derive-client.ts';
import { blockOf, partyOf } from './grant.ts';
import type { GrantStore } from './ports.ts';

export interface MayConsumeDeps {
  readonly services: Pick<ServiceStore, 'findConfirmed'>;
  readonly grants: Pick<GrantStore, 'findFor'>;
}

/**
 * The one rule of who may use the database of another service: both are there, and the owner's org is the same one, or has
 * authorized it, or has approved a grant of that access. A service that is being removed gives and takes nothing.
 */
export function createMayConsume({ services, grants }: MayConsumeDeps): MayConsume {
  const present = async (id: string) => {
    const service = await services.findConfirmed(id);
    return service?.id === id && service.removingSince === null ? service : null;
  };
  return async ({ engine, serviceId, environment, consumes }) => {
    if (consumes === null) return true;
    const [holder, target] = await Promise.all([present(serviceId), present(consumes.serviceId)]);
    if (holder === null || target === null) return false;
    if (hasScopesOf(target, holder.org)) return true;
    const grant = await grants.findFor({ holder: partyOf(holder), environment, target: partyOf(target) });
    return grant !== null && blockOf(grant, [databaseScope({ engine, access: consumes.access })]) === null;
  };
}
